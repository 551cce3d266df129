// Restify with the driver.
import restify from 'restify'
import { announce, flags, newWork, register } from './work.js'
import { openStore } from './mongodb.js'

const { host, port, uri, database, size } = flags()
const store = await openStore(uri, database)
const work = newWork(store, size)

const server = restify.createServer()
server.use(restify.plugins.bodyParser({ mapParams: false, maxBodySize: 4 << 20 }))

const plain = run => async (req, res) => {
	const [status, value] = await run()
	res.send(status, value)
}
const survey = run => async (req, res) => {
	const [status, value] = await run(req.params.survey, req.params.user, req.body)
	res.send(status, value)
}
server.get('/hello', async (req, res) => {
	res.sendRaw(200, work.hello(), { 'Content-Type': 'text/plain; charset=utf-8' })
})
register(server, work, plain, survey)

server.listen(port, host, () => announce(server.server, work, store.close))
