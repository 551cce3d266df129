// A store over the driver.
import { mongo } from 'mongoose' // the driver that mongoose brings

export async function openStore(uri, database) {
	const client = await mongo.MongoClient.connect(uri)
	const db = client.db(database)
	return {
		id: () => new mongo.ObjectId(),
		insert: (collection, doc) => db.collection(collection).insertOne(doc),
		insertMany: (collection, docs) => db.collection(collection).insertMany(docs, { ordered: false }),
		upsert: (collection, _id, answers) => db.collection(collection).updateOne({ _id }, { $set: { answers } }, { upsert: true }),
		first: collection => db.collection(collection).findOne({}),
		close: () => client.close(),
	}
}
