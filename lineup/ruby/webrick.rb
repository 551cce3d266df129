# WEBrick, with the app as its only servlet.
require_relative 'work'
require 'webrick'
require 'stringio'

server = WEBrick::HTTPServer.new(BindAddress: HOST, Port: PORT.to_i, AccessLog: [], Logger: WEBrick::Log.new(File::NULL))
server.mount_proc('/') do |req, res|
  env = { 'REQUEST_METHOD' => req.request_method, 'PATH_INFO' => req.path, 'rack.input' => StringIO.new(req.body.to_s) }
  res.status, headers, body = APP.call(env)
  headers.each { |name, value| res[name] = value }
  res.body = body.join
end
# WEBrick answers PUT through a proc only where it is told to.
WEBrick::HTTPServlet::ProcHandler.class_eval { alias_method :do_PUT, :do_POST }
on_stop { server.shutdown }
announce(server.listeners.first.addr[1])
server.start
finish
