#include "apiserver/front/http/watch_stream.h"

#include "base/log.h"
#include "base/threads/guarded.h"
#include "http/net/socket.h"

namespace proa::apiserver {
namespace watch_stream {

const Log kLog{"watch"};
// Unsent bytes at which sending pauses: what slow clients hold is not shared with others.
constexpr size_t kEnoughUnsent = 128 * 1024;
static_assert(kEnoughUnsent > http::Socket::kLowWater);
// Events of this size are read one at a time: those that wait to be sent keep old objects alive.
constexpr size_t kLargeEvent = 16 * 1024;
// How long a webhook may fail until its watches end: as the reflector of upstream's watch cache,
// see MaxInternalErrorRetryDuration. Upstream asks again at once.
constexpr Duration kConvertWithin = std::chrono::seconds(30);
constexpr Duration kConvertAgain = std::chrono::seconds(1);
// Upstream's bookmark interval for quiet resources.
constexpr Duration kBookmarkEvery = std::chrono::seconds(60);

}  // namespace watch_stream

WatchStream::WatchStream(http::Loop& loop, std::unique_ptr<WatchChannel> channel, WatchPlan plan)
    : loop_(loop),
      channel_(std::move(channel)),
      seats_(std::move(plan.seats)),
      plan_(std::move(plan)),
      timeout_(loop, [this] { end_on_timeout(); }),
      bookmark_(loop, [this] { send_bookmark(); }),
      again_(loop, [this] { convert_again(); }) {}

void WatchStream::start(store::Store& store, Duration default_timeout) {
  std::weak_ptr<WatchStream> self = weak_from_this();
  auto wake = [&loop = loop_, self] {
    loop.post([self] {
      if (const auto stream = self.lock()) stream->pump();
    });
  };
  if (plan_.opened_by == nullptr) {
    return opened(store, default_timeout,
                  WatchCursor::open(store, plan_.request, plan_.options, std::move(wake)));
  }
  run_elsewhere(*plan_.opened_by, [self, &loop = loop_, &store, default_timeout,
                                   request = plan_.request, options = plan_.options, wake] {
    const auto cursor = std::make_shared<Result<std::unique_ptr<WatchCursor>>>(
        guarded([&] { return WatchCursor::open(store, request, options, wake); }));
    loop.post([self, &store, default_timeout, cursor] {
      const auto stream = self.lock();
      if (stream == nullptr || stream->ended_) return;
      stream->busy_elsewhere_ = false;
      stream->opened(store, default_timeout, std::move(*cursor));
    });
  });
}

void WatchStream::opened(store::Store& store, Duration default_timeout,
                         Result<std::unique_ptr<WatchCursor>> cursor) {
  if (!cursor) return fail(cursor.status());
  const std::weak_ptr<WatchStream> self = weak_from_this();
  cursor_ = std::move(*cursor);
  sent_revision_ = cursor_->progress();
  timeout_.start(plan_.options.timeout.value_or(default_timeout));
  if (plan_.options.bookmarks) bookmark_.start(watch_stream::kBookmarkEvery);
  pump();
  // Last: it may be called at once.
  if (!plan_.replaced.stop_possible()) return;
  on_replaced_ = std::make_unique<std::stop_callback<std::function<void()>>>(
      plan_.replaced, [&loop = loop_, &store, self] {
        loop.post([&store, self] {
          const auto stream = self.lock();
          if (stream != nullptr) stream->end_after(store.revision());
        });
      });
}

void WatchStream::pump() {
  // Sending may call back at once, in the middle of a batch: events read then must not overtake the
  // rest of the batch.
  if (pumping_) return;
  pumping_ = true;
  read_on();
  pumping_ = false;
}

void WatchStream::read_on() {
  woken_meanwhile_ = busy_elsewhere_;
  if (busy_elsewhere_) return;
  bool had_turn = false;
  while (!ended_ && channel_->unsent() < watch_stream::kEnoughUnsent) {
    if (next_ == events_.size()) {
      if (plan_.reads_on_pool) return read_elsewhere();
      // There may be many objects to begin with, and fast clients read all of them.
      if (had_turn) return pump_later();
      had_turn = !cursor_->has_begun();
      if (!read_events()) {
        if (ended_ || cursor_->has_begun()) return end_if_drained();
        return pump_later();
      }
    }
    const bool slow = plan_.pool != nullptr && plan_.encoder.is_slow(events_[next_]);
    if (slow && encoded_.empty()) return encode_elsewhere();
    const WatchEvent event = std::move(events_[next_++]);
    if (last_ && event.revision > *last_) return stop();
    Result<Bytes> bytes = take_encoded(event);
    if (!bytes) return fail(bytes.status());
    at_once_ = bytes->size() < watch_stream::kLargeEvent ? kEventsAtOnce : 1;
    channel_->send(std::move(*bytes));
    first_ = false;
    sent_revision_ = event.revision;
  }
}

void WatchStream::pump_later() {
  if (std::exchange(pumps_later_, true)) return;
  loop_.post([self = weak_from_this()] {
    const auto stream = self.lock();
    if (stream == nullptr) return;
    stream->pumps_later_ = false;
    stream->pump();
  });
}

Result<Bytes> WatchStream::take_encoded(const WatchEvent& event) {
  if (encoded_.empty()) return plan_.encoder.event(event, first_);
  Bytes bytes = std::move(encoded_.front());
  encoded_.pop_front();
  return bytes;
}

// False if there are none now.
bool WatchStream::read_events() {
  events_.clear();
  next_ = 0;
  return take(cursor_->next(at_once_));
}

bool WatchStream::take(Result<std::vector<WatchEvent>> events) {
  if (seats_ != nullptr && cursor_->has_begun()) seats_.reset();
  if (!events) {
    fail(events.status());
    return false;
  }
  events_ = std::move(*events);
  if (plan_.mark != nullptr) plan_.mark->sent_events(events_.size());
  return !events_.empty();
}

void WatchStream::read_elsewhere() {
  events_.clear();
  next_ = 0;
  // Nobody waits for a webhook of a definition that is gone.
  if (converts_later_) return end_if_drained();
  run_elsewhere(*plan_.pool,
                [self = weak_from_this(), &loop = loop_, cursor = cursor_, most = at_once_,
                 resource = plan_.request.resource, events = std::move(unconverted_)]() mutable {
                  Result<ServedEvents> read = guarded([&]() -> Result<ServedEvents> {
                    if (events.empty()) events = TRY(cursor->next(most));
                    return serve_events(std::move(events), *resource);
                  });
                  loop.post([self, read = std::move(read)] {
                    if (const auto stream = self.lock()) stream->read_there(read);
                  });
                });
  unconverted_.clear();
}

void WatchStream::read_there(Result<ServedEvents> read) {
  busy_elsewhere_ = false;
  if (ended_) return;
  const auto self = shared_from_this();
  if (!read) return fail(read.status());
  unconverted_ = std::move(read->rest);
  if (read->failure) {
    convert_later(*read->failure, !read->served.empty());
  } else {
    failing_since_.reset();
  }
  if (take(std::move(read->served)) || woken_meanwhile_) return pump();
  if (!ended_ && !cursor_->has_begun()) return pump();
  end_if_drained();
}

void WatchStream::convert_later(const Status& failure, bool progressed) {
  const Steady now = plan_.encoder.clock->steady();
  if (!failing_since_) {
    watch_stream::kLog.warn(
        "events cannot be converted",
        {{"resource", qualified_resource(*plan_.request.resource)}, {"error", failure}});
  }
  if (!failing_since_ || progressed) failing_since_ = now;
  // The client sees no error: it watches again, from the last event that it has seen.
  if (now - *failing_since_ >= watch_stream::kConvertWithin) return stop();
  converts_later_ = true;
  again_.start(watch_stream::kConvertAgain);
}

void WatchStream::convert_again() {
  const auto self = shared_from_this();
  if (ended_) return;
  converts_later_ = false;
  pump();
}

// The next event, and those after it that take long, too, until they are enough to send.
void WatchStream::encode_elsewhere() {
  std::vector<WatchEvent> events(events_.begin() + static_cast<ptrdiff_t>(next_), events_.end());
  run_elsewhere(*plan_.pool, [self = weak_from_this(), &loop = loop_, events = std::move(events),
                              encoder = plan_.encoder, first = first_] {
    Result<std::deque<Bytes>> encoded = guarded([&]() -> Result<std::deque<Bytes>> {
      std::deque<Bytes> made;
      size_t bytes = 0;
      for (const WatchEvent& event : events) {
        if (bytes >= watch_stream::kEnoughUnsent || !encoder.is_slow(event)) break;
        made.push_back(TRY(encoder.event(event, first && made.empty())));
        bytes += made.back().size();
      }
      return made;
    });
    loop.post([self, encoded = std::move(encoded)] {
      if (const auto stream = self.lock()) stream->encoded_there(encoded);
    });
  });
}

void WatchStream::encoded_there(Result<std::deque<Bytes>> encoded) {
  busy_elsewhere_ = false;
  if (ended_) return;
  if (!encoded) return fail(encoded.status());
  encoded_ = std::move(*encoded);
  pump();
}

void WatchStream::run_elsewhere(WorkerPool& pool, std::function<void()> task) {
  woken_meanwhile_ = false;
  busy_elsewhere_ = true;
  if (pool.submit(std::move(task))) return;
  busy_elsewhere_ = false;
  fail(Status(Reason::kTooManyRequests, "the server is busy, please try again later"));
}

void WatchStream::send_bookmark() {
  const auto self = shared_from_this();  // sending may find that the client has disconnected
  if (ended_) return;
  const bool all_read = !busy_elsewhere_ && !converts_later_ && unconverted_.empty();
  const store::Revision progress = all_read ? cursor_->progress() : sent_revision_;
  if (progress > sent_revision_ && channel_->unsent() == 0 && next_ == events_.size()) {
    Result<Bytes> bytes = plan_.encoder.event({EventType::kBookmark, nullptr, progress}, first_);
    if (bytes) channel_->send(std::move(*bytes));
    sent_revision_ = progress;
  }
  bookmark_.start(watch_stream::kBookmarkEvery);
}

void WatchStream::end_on_timeout() {
  const auto self = shared_from_this();
  if (plan_.options.bookmarks) {
    pump();
    send_bookmark();
  }
  stop();
}

// Events of a definition that took the place of this one are not for this watch.
void WatchStream::end_after(store::Revision last) {
  const auto self = shared_from_this();
  if (ended_) return;
  last_ = last;
  pump();
}

// Call when the cursor has no more events now.
void WatchStream::end_if_drained() {
  if (last_ && !ended_) stop();
}

void WatchStream::fail(const Status& status) {
  if (ended_) return;
  channel_->send(plan_.encoder.error_event(status));
  stop();
}

void WatchStream::stop() {
  if (ended_) return;
  ended_ = true;
  seats_.reset();
  timeout_.stop();
  bookmark_.stop();
  again_.stop();
  cursor_.reset();
  unconverted_.clear();
  events_.clear();
  next_ = 0;
  encoded_.clear();
  channel_->finish();
}

}  // namespace proa::apiserver
