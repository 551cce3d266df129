# An app of Rack alone.
require 'rack'

class RackApp
  JSON_TYPE = { 'content-type' => 'application/json' }.freeze
  TEXT_TYPE = { 'content-type' => 'text/plain; charset=utf-8' }.freeze

  def initialize(work) = @work = work

  def call(env)
    _, first, survey, user, more = env['PATH_INFO'].split('/')
    return not_found if more

    case [env['REQUEST_METHOD'], first, !user.nil?]
    in ['GET', 'hello', false] then [200, TEXT_TYPE, [@work.hello]]
    in ['GET', 'timestamp', false] then reply(@work.timestamp)
    in ['POST', 'documents', false] then reply(@work.new_document)
    in ['GET', 'documents', false] then reply(@work.first_document)
    in ['POST', 'survey', true] then reply(@work.survey(survey, user, answers(env)))
    in ['PUT', 'survey', true] then reply(@work.upsert(survey, user, answers(env)))
    in ['POST', 'surveybatched', true] then reply(@work.survey_batched(survey, user, answers(env)))
    in ['POST', 'surveynodb', true] then reply(@work.survey_no_db(survey, user, answers(env)))
    else not_found
    end
  rescue JSON::ParserError => e
    reply(@work.problem(400, e.message))
  end

  private

  def answers(env) = JSON.parse(env['rack.input'].read)

  def not_found = reply(@work.problem(404, 'there is nothing here'))

  def reply((status, value)) = [status, JSON_TYPE, [JSON.generate(value)]]
end

APP = RackApp.new(WORK)
