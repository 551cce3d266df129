// Express with mongoose.
import express from 'express'
import { announce, flags, newWork, register } from './work.js'
import { openStore } from './mongoose.js'

process.env.NODE_ENV = 'production'
const { host, port, uri, database, size } = flags()
const store = await openStore(uri, database)
const work = newWork(store, size)

const app = express()
app.set('env', 'production')
app.disable('x-powered-by')
app.disable('etag')
app.use(express.json({ limit: '4mb' }))

const plain = run => async (req, res) => {
	const [status, value] = await run()
	res.status(status).json(value)
}
const survey = run => async (req, res) => {
	const [status, value] = await run(req.params.survey, req.params.user, req.body)
	res.status(status).json(value)
}
app.get('/hello', (req, res) => res.type('text/plain').send(work.hello()))
register(app, work, plain, survey)

const server = app.listen(port, host, () => announce(server, work, store.close))
