package bench

import (
	"maps"
	"testing"
	"time"
)

func TestPlanSendsWhatWasAskedForWhereThereIsTime(t *testing.T) {
	p := newPlan(map[string]float64{"fast": 30_000, "slow": 3_000}, 30_000, map[string]int{"fast": 10, "slow": 10}, 2*time.Minute)
	if !maps.Equal(p.requests, map[string]int64{"fast": 30_000, "slow": 30_000}) {
		t.Errorf("%v", p.requests)
	}
	if p.left() != 110*time.Second {
		t.Errorf("%v left", p.left())
	}
}

// 10 runs in 60 s: 6 s for one of each. The fast one takes 1 s, so the two others have 2.5 s each.
func TestPlanCutsTheSlowestOnly(t *testing.T) {
	p := newPlan(map[string]float64{"fast": 30_000, "slow": 3_000, "slower": 300}, 30_000, map[string]int{"fast": 10, "slow": 10, "slower": 10}, time.Minute)
	if !maps.Equal(p.requests, map[string]int64{"fast": 30_000, "slow": 7_500, "slower": 750}) {
		t.Errorf("%v", p.requests)
	}
	p.todo["fast"] = 0
	if p.left() != 50*time.Second {
		t.Errorf("%v left", p.left())
	}
}

// 40 s for 20 runs of one and 10 of the other: 20 s for each.
func TestPlanSharesTimeByScenarioNotByRun(t *testing.T) {
	p := newPlan(map[string]float64{"often": 1_000, "seldom": 1_000}, 30_000, map[string]int{"often": 20, "seldom": 10}, 40*time.Second)
	if !maps.Equal(p.requests, map[string]int64{"often": 1_000, "seldom": 2_000}) {
		t.Errorf("%v", p.requests)
	}
}
