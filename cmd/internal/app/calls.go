package app

import "sync"

// calls counts the calls that are being answered, so that what they may use
// is closed after the last of them. The zero value is ready.
type calls struct {
	mu      sync.Mutex
	next    uint64
	running map[uint64]bool
	waiting []*closing
}

// A closing runs when the calls that were running when it was asked for have
// ended.
type closing struct {
	until map[uint64]bool
	run   func()
}

// begin notes that a call starts; the function that it returns, that it ended.
func (c *calls) begin() (end func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running == nil {
		c.running = map[uint64]bool{}
	}
	c.next++
	id := c.next
	c.running[id] = true
	return func() { c.end(id) }
}

func (c *calls) end(id uint64) {
	c.mu.Lock()
	delete(c.running, id)
	var ready []*closing
	var still []*closing
	for _, w := range c.waiting {
		delete(w.until, id)
		if len(w.until) == 0 {
			ready = append(ready, w)
		} else {
			still = append(still, w)
		}
	}
	c.waiting = still
	c.mu.Unlock()
	for _, w := range ready {
		w.run()
	}
}

// whenIdle runs f when every call that is running now has ended.
func (c *calls) whenIdle(f func()) {
	c.mu.Lock()
	w := &closing{until: map[uint64]bool{}, run: f}
	for id := range c.running {
		w.until[id] = true
	}
	if len(w.until) > 0 {
		c.waiting = append(c.waiting, w)
		c.mu.Unlock()
		return
	}
	c.mu.Unlock()
	f()
}
