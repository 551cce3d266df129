# An app of Rails, in one file: for production, as an API, without a log. It has the middleware of
# `rails new --api` but ETags: no other server of the line-up makes them.
ENV['RAILS_ENV'] = 'production'
require 'logger'
require 'rails'
require 'action_controller/railtie'

class RailsApp < Rails::Application
  config.root = __dir__
  config.eager_load = true
  config.api_only = true
  config.logger = Logger.new(nil)
  config.secret_key_base = SecureRandom.hex(64)
  # Rails would take nulls out of arrays; the answers are stored as they come.
  config.action_dispatch.perform_deep_munge = false
  config.middleware.delete Rack::ConditionalGet
  config.middleware.delete Rack::ETag
end

# ScenarioController answers the scenario routes; Rails has parsed the body when it is called.
class ScenarioController < ActionController::API
  def hello = render(plain: WORK.hello)
  def timestamp = reply(WORK.timestamp)
  def new_document = reply(WORK.new_document)
  def first_document = reply(WORK.first_document)
  def survey = reply(WORK.survey(*sent))
  def upsert = reply(WORK.upsert(*sent))
  def survey_batched = reply(WORK.survey_batched(*sent))
  def survey_no_db = reply(WORK.survey_no_db(*sent))

  private

  def sent = [params[:survey], params[:user], answers]

  # What is no JSON object Rails wraps in one, under _json.
  def answers
    parsed = request.request_parameters
    parsed.keys == ['_json'] ? parsed['_json'] : parsed
  end

  def reply((status, value)) = render(status: status, json: value)
end

RailsApp.initialize!
RailsApp.routes.draw do
  get 'hello', to: 'scenario#hello'
  get 'timestamp', to: 'scenario#timestamp'
  post 'documents', to: 'scenario#new_document'
  get 'documents', to: 'scenario#first_document'
  # A dot in a name is one, not the beginning of a format.
  scope format: false, constraints: { survey: %r{[^/]+}, user: %r{[^/]+} } do
    post 'survey/:survey/:user', to: 'scenario#survey'
    put 'survey/:survey/:user', to: 'scenario#upsert'
    post 'surveybatched/:survey/:user', to: 'scenario#survey_batched'
    post 'surveynodb/:survey/:user', to: 'scenario#survey_no_db'
  end
end

APP = RailsApp
