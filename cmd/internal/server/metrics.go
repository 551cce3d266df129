package server

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/rapidrest/rapidrest/batch"
)

// metric describes one of our metrics: its name without the prefix, what it means, its labels.
func metric(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("rapidrest_"+name, help, labels, nil)
}

// What is said of each collection's buffer. A buffer that was idle for long is closed, and its
// figures begin anew when it is opened again, as with a process that restarts.
var (
	pendingDocs  = metric("pending_documents", "Documents admitted that have no outcome yet.", "collection")
	pendingBytes = metric("pending_bytes", "Bytes of documents admitted that have no outcome yet.", "collection")
	batchesNow   = metric("batches", "Batches now, by state: ready, flying (under way), retrying.", "collection", "state")
	sizeNow      = metric("batch_size_limit", "Documents at which a batch closes.", "collection")
	storeDown    = metric("store_down", "1 while the store is known to be down.", "collection")
	acceptedDocs = metric("accepted_documents_total", "Documents admitted, those replayed from the spool included.", "collection")
	replayedDocs = metric("replayed_documents_total", "Documents replayed from the spool of an earlier process.", "collection")
	outcomes     = metric("outcomes_total", "Documents by outcome: stored, rejected, failed.", "collection", "outcome")
	deadLettered = metric("dead_lettered_documents_total", "Documents that ended badly unheard and are in the dead letter.", "collection")
	lostDocs     = metric("lost_documents_total", "Documents that ended badly unheard and are nowhere.", "collection")
	refusedDocs  = metric("refused_documents_total", "Documents not admitted, by reason: full, down, closed, spool.", "collection", "reason")
	retriedDocs  = metric("retried_documents_total", "Documents sent again.", "collection")
	attempts     = metric("failed_attempts_total", "Attempts without outcomes, by kind: ambiguous, unsent, refused.", "collection", "kind")
	splits       = metric("batch_splits_total", "Batches split to find the document at fault.", "collection")
	batchSizes   = metric("batch_documents", "Documents in a batch that the server answered.", "collection")
	flushLatency = metric("flush_seconds", "Time that a batch took which the server answered.", "collection")
	spoolBytes   = metric("spool_bytes", "Bytes of the spool on disk.", "collection")
	spoolDocs    = metric("spool_documents", "Documents in the spool that are not settled.", "collection")
	spoolLag     = metric("spool_oldest_seconds", "Age of the oldest part of the spool, by when it was begun; 0 without one.", "collection")

	answers         = metric("http_answers_total", "Answers by method, route and status; no route where none fitted.", "method", "route", "status")
	openConnections = metric("http_connections", "Connections that are open.")
)

// collector turns the server's statistics into metrics at the moment they are asked for, so that
// serving requests costs nothing extra.
type collector struct{ s *Server }

// registry holds the server's metrics, and those of Go and the process.
func (s *Server) registry() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collector{s}, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}

// Describe sends nothing: which metrics there are depends on the collections.
func (collector) Describe(chan<- *prometheus.Desc) {}

// Collect sends a picture of this moment.
func (c collector) Collect(out chan<- prometheus.Metric) {
	for _, stats := range c.s.buffers.Stats() {
		p := painter{out, stats.Name}
		p.buffer(&stats)
		p.spool(&stats)
	}
	c.s.traffic.each(func(method, route string, status int, n uint64) {
		out <- prometheus.MustNewConstMetric(answers, prometheus.CounterValue, float64(n), method, route, strconv.Itoa(status))
	})
	out <- prometheus.MustNewConstMetric(openConnections, prometheus.GaugeValue, float64(c.s.http.GetOpenConnectionsCount()))
}

// painter sends the metrics of one collection.
type painter struct {
	out        chan<- prometheus.Metric
	collection string
}

func (p painter) gauge(d *prometheus.Desc, v float64, labels ...string) {
	p.out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, append([]string{p.collection}, labels...)...)
}

func (p painter) counter(d *prometheus.Desc, n uint64, labels ...string) {
	p.out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(n), append([]string{p.collection}, labels...)...)
}

func (p painter) buffer(s *batch.Stats) {
	p.gauge(pendingDocs, float64(s.Pending))
	p.gauge(pendingBytes, float64(s.PendingBytes))
	p.gauge(batchesNow, float64(s.Ready), "ready")
	p.gauge(batchesNow, float64(s.Flying), "flying")
	p.gauge(batchesNow, float64(s.Retrying), "retrying")
	p.gauge(sizeNow, float64(s.Size))
	down := 0.0
	if s.Down {
		down = 1
	}
	p.gauge(storeDown, down)
	p.counter(acceptedDocs, s.Accepted)
	p.counter(replayedDocs, s.Replayed)
	p.counter(outcomes, s.Stored, "stored")
	p.counter(outcomes, s.Rejected, "rejected")
	p.counter(outcomes, s.Failed, "failed")
	p.counter(deadLettered, s.DeadLettered)
	p.counter(lostDocs, s.Lost)
	p.counter(refusedDocs, s.RefusedFull, "full")
	p.counter(refusedDocs, s.RefusedDown, "down")
	p.counter(refusedDocs, s.RefusedClosed, "closed")
	p.counter(refusedDocs, s.RefusedSpool, "spool")
	p.counter(retriedDocs, s.Retried)
	p.counter(splits, s.Splits)
	p.counter(attempts, s.Ambiguous, "ambiguous")
	p.counter(attempts, s.Unsent, "unsent")
	p.counter(attempts, s.Refused, "refused")
	p.histogram(batchSizes, &s.BatchSizes, 1, batch.MaxSize)
	p.histogram(flushLatency, &s.Latency, 1e6, 600) // it counts microseconds
}

func (p painter) spool(s *batch.Stats) {
	if s.Spool == nil {
		return
	}
	p.gauge(spoolBytes, float64(s.Spool.Bytes))
	p.gauge(spoolDocs, float64(s.Spool.Records))
	lag := 0.0
	if s.Spool.Records+s.Spool.Unread > 0 {
		lag = time.Since(s.Spool.Oldest).Seconds()
	}
	p.gauge(spoolLag, lag)
}

// histogram sends h, of whose units per make one of the metric's. Buckets beyond most, in the
// metric's unit, are left out.
func (p painter) histogram(d *prometheus.Desc, h *batch.Histogram, per, most float64) {
	buckets := make(map[float64]uint64)
	var n uint64
	for i, count := range h.Counts {
		n += count
		// Every other one, 1, 7, 31, …, is fine enough for a quantile.
		if upper := float64(h.Upper(i)) / per; i%2 == 1 && upper <= most {
			buckets[upper] = n
		}
	}
	p.out <- prometheus.MustNewConstHistogram(d, n, float64(h.Sum)/per, buckets, p.collection)
}
