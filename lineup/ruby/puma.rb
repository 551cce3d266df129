# Puma, one process, up to 16 threads.
require_relative 'work'
require 'puma'
require 'puma/server'

server = Puma::Server.new(APP, Puma::Events.strings, min_threads: 4, max_threads: 16)
listener = server.add_tcp_listener(HOST, PORT.to_i)
on_stop { server.stop }
thread = server.run
announce(listener.addr[1])
thread.join
finish
