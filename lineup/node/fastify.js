// Fastify with the driver.
import Fastify from 'fastify'
import { announce, flags, newWork, register } from './work.js'
import { openStore } from './mongodb.js'

const { host, port, uri, database, size } = flags()
const store = await openStore(uri, database)
const work = newWork(store, size)

const app = Fastify({ bodyLimit: 4 << 20 })

const plain = run => async (req, reply) => {
	const [status, value] = await run()
	return reply.code(status).send(value)
}
const survey = run => async (req, reply) => {
	const [status, value] = await run(req.params.survey, req.params.user, req.body)
	return reply.code(status).send(value)
}
app.get('/hello', async (req, reply) => reply.type('text/plain; charset=utf-8').send(work.hello()))
register(app, work, plain, survey)

await app.listen({ host, port })
announce(app.server, work, store.close)
