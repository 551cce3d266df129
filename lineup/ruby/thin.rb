# thin, one process, one thread.
require_relative 'work'
require 'thin'
require 'socket'

Thin::Logging.silent = true
port = PORT.to_i
port = TCPServer.open(HOST, 0) { |s| s.addr[1] } if port.zero? # thin does not say which port it took
server = Thin::Server.new(HOST, port, APP, signals: false)
# Its reactor does not come back to us for certain once connections are open: end from here.
on_stop { finish; exit!(0) }
EventMachine.run do
  server.start
  announce(port)
end
