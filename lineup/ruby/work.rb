# What the routes do, whoever serves them: a Rack app over the driver.
require 'json'
require 'mongo'
require 'optparse'
require 'securerandom'

# The framework's linger, in seconds.
LINGER = 0.005

# Batches gathers documents by collection, and inserts them when a batch is full or has waited.
class Batches
  def initialize(db, size)
    @db, @size = db, size
    @lock = Mutex.new
    @due = ConditionVariable.new
    @open = {} # collection => documents
    @closed = false
    @writer = Thread.new { run }
  end

  def add(collection, doc)
    full = @lock.synchronize do
      docs = (@open[collection] ||= [])
      docs << doc
      @due.signal
      @open.delete(collection) if docs.size >= @size
    end
    insert(collection, full) if full
  end

  # close stores what is left. No add may come after it.
  def close
    @lock.synchronize { @closed = true; @due.signal }
    @writer.join
  end

  private

  def insert(collection, docs)
    @db[collection].insert_many(docs, ordered: false)
  end

  # run takes what has waited for LINGER.
  def run
    loop do
      closed = @lock.synchronize do
        @due.wait(@lock) while @open.empty? && !@closed
        @closed
      end
      sleep LINGER unless closed
      rest = @lock.synchronize { @open.tap { @open = {} } }
      rest.each { |collection, docs| insert(collection, docs) }
      break if closed
    end
  end
end

# App answers the scenario routes.
class App
  JSON_TYPE = { 'content-type' => 'application/json' }.freeze

  def initialize(db, size)
    @db = db
    @batches = Batches.new(db, size)
  end

  def close = @batches.close

  def call(env)
    _, first, survey, user, more = env['PATH_INFO'].split('/')
    return reply(404, status: 404) if more

    case [env['REQUEST_METHOD'], first, !user.nil?]
    in ['GET', 'hello', false] then [200, { 'content-type' => 'text/plain; charset=utf-8' }, ['Hello world!']]
    in ['GET', 'timestamp', false] then reply(200, timestamp: Process.clock_gettime(Process::CLOCK_REALTIME, :millisecond))
    in ['POST', 'documents', false] then new_document
    in ['GET', 'documents', false] then first_document
    in ['POST' | 'PUT' => method, 'survey' | 'surveybatched' | 'surveynodb' => kind, true] then survey(method, kind, survey, user, env)
    else reply(404, status: 404)
    end
  end

  private

  def reply(status, value) = [status, JSON_TYPE, [JSON.generate(value)]]

  def new_document
    doc = { _id: BSON::ObjectId.new, title: "Document #{SecureRandom.uuid}" }
    @db['documents'].insert_one(doc)
    reply(201, _id: doc[:_id].to_s, title: doc[:title])
  end

  def first_document
    doc = @db['documents'].find.limit(1).first or return reply(404, status: 404)
    reply(200, doc.merge('_id' => doc['_id'].to_s))
  end

  def survey(method, kind, survey, user, env)
    answers = JSON.parse(env['rack.input'].read)
    return reply(422, status: 422) unless answers.is_a?(Hash)

    doc = { _id: BSON::ObjectId.new, user: user, answers: answers }
    case [method, kind]
    in ['PUT', 'survey']
      @db[survey].update_one({ _id: user }, { '$set' => { answers: answers } }, upsert: true)
      reply(200, stored: true)
    in ['POST', 'survey']
      @db[survey].insert_one(doc)
      reply(201, _id: doc[:_id].to_s)
    in ['POST', 'surveybatched']
      @batches.add(survey, doc)
      reply(202, _id: doc[:_id].to_s)
    in ['POST', 'surveynodb'] then reply(200, stored: false)
    else reply(404, status: 404)
    end
  rescue JSON::ParserError => e
    reply(400, status: 400, detail: e.message)
  end
end

# FLAGS are those of every server of the line-up.
FLAGS = { listen: '127.0.0.1:8080', uri: 'mongodb://127.0.0.1:27017', database: 'rapidrest', size: 100 }
OptionParser.new do |o|
  o.on('--listen ADDRESS') { |v| FLAGS[:listen] = v }
  o.on('--mongo-uri URI') { |v| FLAGS[:uri] = v }
  o.on('--database NAME') { |v| FLAGS[:database] = v }
  o.on('--batch-size N', Integer) { |v| FLAGS[:size] = v }
end.parse!
HOST, PORT = FLAGS[:listen].split(':')

Mongo::Logger.logger.level = Logger::ERROR
CLIENT = Mongo::Client.new(FLAGS[:uri], database: FLAGS[:database], max_pool_size: 32)
APP = App.new(CLIENT, FLAGS[:size])

def announce(port)
  puts "listening on http://#{HOST}:#{port}"
  $stdout.flush
end

# finish stores what the batches hold and lets the database go.
def finish
  APP.close
  CLIENT.close
end

# on_stop runs the block, outside the signal handler, with the first SIGTERM or SIGINT.
def on_stop(&stop)
  signals = Queue.new
  %w[TERM INT].each { |name| Signal.trap(name) { signals << name } }
  Thread.new { signals.pop; stop.call }
end
