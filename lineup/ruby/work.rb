# What the routes do, whoever serves them, over the driver; and what every server has: flags, a start, an end.
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

# Work is what the routes do. Each method returns [status, value]; the app writes the value its own way.
class Work
  def initialize(db, size)
    @db = db
    @batches = Batches.new(db, size)
  end

  def close = @batches.close

  def hello = 'Hello world!'

  def timestamp = [200, { timestamp: Process.clock_gettime(Process::CLOCK_REALTIME, :millisecond) }]

  def new_document
    doc = { _id: BSON::ObjectId.new, title: "Document #{SecureRandom.uuid}" }
    @db['documents'].insert_one(doc)
    [201, { _id: doc[:_id].to_s, title: doc[:title] }]
  end

  def first_document
    doc = @db['documents'].find.limit(1).first or return problem(404, 'there is no document')
    [200, doc.merge('_id' => doc['_id'].to_s)]
  end

  def survey(survey, user, answers)
    checked(answers) do
      doc = document(user, answers)
      @db[survey].insert_one(doc)
      [201, { _id: doc[:_id].to_s }]
    end
  end

  def survey_batched(survey, user, answers)
    checked(answers) do
      doc = document(user, answers)
      @batches.add(survey, doc)
      [202, { _id: doc[:_id].to_s }]
    end
  end

  def survey_no_db(_, user, answers)
    checked(answers) do
      document(user, answers)
      [200, { stored: false }]
    end
  end

  # upsert puts the answers in the place of what the user answered before.
  def upsert(survey, user, answers)
    checked(answers) do
      @db[survey].update_one({ _id: user }, { '$set' => { answers: answers } }, upsert: true)
      [200, { stored: true }]
    end
  end

  def problem(status, detail) = [status, { status: status, detail: detail }]

  private

  def checked(answers) = answers.is_a?(Hash) ? yield : problem(422, 'the answers are no JSON object')

  def document(user, answers) = { _id: BSON::ObjectId.new, user: user, answers: answers }
end

# FLAGS are those of every server of the line-up, and the app that is served: one of Rack alone or of Rails.
FLAGS = { listen: '127.0.0.1:8080', uri: 'mongodb://127.0.0.1:27017', database: 'rapidrest', size: 100, app: 'rack' }
OptionParser.new do |o|
  o.on('--listen ADDRESS') { |v| FLAGS[:listen] = v }
  o.on('--mongo-uri URI') { |v| FLAGS[:uri] = v }
  o.on('--database NAME') { |v| FLAGS[:database] = v }
  o.on('--batch-size N', Integer) { |v| FLAGS[:size] = v }
  o.on('--app APP', %w[rack rails]) { |v| FLAGS[:app] = v }
end.parse!
HOST, PORT = FLAGS[:listen].split(':')

Mongo::Logger.logger.level = Logger::ERROR
CLIENT = Mongo::Client.new(FLAGS[:uri], database: FLAGS[:database], max_pool_size: 32)
WORK = Work.new(CLIENT, FLAGS[:size])

def announce(port)
  puts "listening on http://#{HOST}:#{port}"
  $stdout.flush
end

# finish stores what the batches hold and lets the database go.
def finish
  WORK.close
  CLIENT.close
end

# on_stop runs the block, outside the signal handler, with the first SIGTERM or SIGINT.
def on_stop(&stop)
  signals = Queue.new
  %w[TERM INT].each { |name| Signal.trap(name) { signals << name } }
  Thread.new { signals.pop; stop.call }
end

# APP is made last: it answers with WORK.
require_relative FLAGS[:app]
