// What the routes do, whoever serves them: the documents, the inserts, the batches. Each function
// returns [status, value]; the peer writes the value as JSON its own way.
import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'

// The framework's linger, in milliseconds.
const LINGER = 5

export function flags() {
	const { values } = parseArgs({
		args: process.argv.slice(2),
		options: {
			listen: { type: 'string', default: '127.0.0.1:8080' },
			'mongo-uri': { type: 'string', default: 'mongodb://127.0.0.1:27017' },
			database: { type: 'string', default: 'rapidrest' },
			'batch-size': { type: 'string', default: '100' },
		},
	})
	const colon = values.listen.lastIndexOf(':')
	return {
		host: values.listen.slice(0, colon),
		port: Number(values.listen.slice(colon + 1)),
		uri: values['mongo-uri'],
		database: values.database,
		size: Number(values['batch-size']),
	}
}

// newWork makes the work over a store: { id(), insert(collection, doc), insertMany(collection, docs),
// upsert(collection, id, answers), first(collection) }, all but id asynchronous.
export function newWork(store, size) {
	const batches = new Map() // by collection: { docs, timer }
	const flights = new Set()

	function flush(collection) {
		const batch = batches.get(collection)
		if (!batch) return
		batches.delete(collection)
		clearTimeout(batch.timer)
		const flight = store.insertMany(collection, batch.docs)
			.catch(err => {
				console.error(`${batch.docs.length} documents for ${collection}: ${err.message}`)
				process.exitCode = 1
			})
			.finally(() => flights.delete(flight))
		flights.add(flight)
	}

	function add(collection, doc) {
		let batch = batches.get(collection)
		if (!batch) {
			batch = { docs: [], timer: setTimeout(flush, LINGER, collection) }
			batches.set(collection, batch)
		}
		batch.docs.push(doc)
		if (batch.docs.length >= size) flush(collection)
	}

	const survey = (user, answers) => ({ _id: store.id(), user, answers })
	const isObject = v => typeof v === 'object' && v !== null && !Array.isArray(v)
	const checked = work => async (collection, user, answers) =>
		isObject(answers) ? work(collection, user, answers) : [422, { status: 422, detail: 'the answers are no JSON object' }]

	return {
		hello: () => 'Hello world!',
		timestamp: () => [200, { timestamp: Date.now() }],
		newDocument: async () => {
			const doc = { _id: store.id(), title: `Document ${randomUUID()}` }
			await store.insert('documents', doc)
			return [201, doc]
		},
		firstDocument: async () => {
			const doc = await store.first('documents')
			return doc ? [200, doc] : [404, { status: 404, detail: 'there is no document' }]
		},
		survey: checked(async (collection, user, answers) => {
			const doc = survey(user, answers)
			await store.insert(collection, doc)
			return [201, { _id: doc._id }]
		}),
		surveyBatched: checked(async (collection, user, answers) => {
			const doc = survey(user, answers)
			add(collection, doc)
			return [202, { _id: doc._id }]
		}),
		surveyNoDB: checked(async (_, user, answers) => {
			survey(user, answers)
			return [200, { stored: false }]
		}),
		upsert: checked(async (collection, user, answers) => {
			await store.upsert(collection, user, answers)
			return [200, { stored: true }]
		}),
		// close stores what the batches hold.
		async close() {
			for (const collection of [...batches.keys()]) flush(collection)
			await Promise.all(flights)
		},
	}
}

// register adds the routes that answer JSON to an app: plain and survey make its handlers of what
// work does.
export function register(app, work, plain, survey) {
	app.get('/timestamp', plain(work.timestamp))
	app.post('/documents', plain(work.newDocument))
	app.get('/documents', plain(work.firstDocument))
	app.post('/survey/:survey/:user', survey(work.survey))
	app.put('/survey/:survey/:user', survey(work.upsert))
	app.post('/surveybatched/:survey/:user', survey(work.surveyBatched))
	app.post('/surveynodb/:survey/:user', survey(work.surveyNoDB))
}

// announce prints where the server is, and ends it with the first SIGTERM or SIGINT: stop takes no
// more requests, then the batches are stored, then the database is let go.
export function announce(server, work, disconnect) {
	const { address, port } = server.address()
	let stopping = false
	const stop = async () => {
		if (stopping) return
		stopping = true
		server.close()
		server.closeAllConnections?.()
		await work.close()
		await disconnect()
		process.exit()
	}
	process.on('SIGTERM', stop)
	process.on('SIGINT', stop)
	console.log(`listening on http://${address}:${port}`)
}
