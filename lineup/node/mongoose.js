// A store over mongoose: a model for each collection, with the answers as they come.
import mongoose from 'mongoose'

const { Schema } = mongoose

export async function openStore(uri, dbName) {
	const db = await mongoose.createConnection(uri, { dbName, autoCreate: false, autoIndex: false }).asPromise()
	const models = new Map()

	function model(name, fields) {
		let m = models.get(name)
		if (!m) {
			m = db.model(name, new Schema(fields, { versionKey: false, collection: name, minimize: false }))
			models.set(name, m)
		}
		return m
	}
	const of = collection => collection === 'documents'
		? model(collection, { title: String })
		: model(collection, { user: String, answers: Schema.Types.Mixed })
	// Upserts are kept by the user's name.
	const named = collection => model(collection, { _id: String, answers: Schema.Types.Mixed })

	return {
		id: () => new mongoose.Types.ObjectId(),
		insert: (collection, doc) => of(collection).create(doc),
		insertMany: (collection, docs) => of(collection).insertMany(docs, { ordered: false }),
		upsert: (collection, _id, answers) => named(collection).updateOne({ _id }, { $set: { answers } }, { upsert: true }),
		first: collection => of(collection).findOne({}),
		close: () => db.close(),
	}
}
