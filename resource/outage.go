package resource

import (
	"sync/atomic"
	"time"
)

// restTime is how long a store that could not be reached is left in peace.
const restTime = time.Second

// outage remembers that the store could not be reached. To find that out takes the driver's
// server selection, seconds; whoever asks within the next second is told at once.
type outage struct{ until atomic.Int64 }

func (o *outage) begin() { o.until.Store(time.Now().Add(restTime).UnixNano()) }

func (o *outage) known() bool {
	until := o.until.Load()
	return until != 0 && time.Now().UnixNano() < until
}
