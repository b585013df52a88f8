#include "apiserver/front/http/watch_stream.h"

namespace proa::apiserver {
namespace watch_stream {

// So much may wait for a slow client before its cursor is read on.
constexpr size_t kEnoughUnsent = 256 * 1024;
constexpr size_t kEventsAtOnce = 64;
// As often as upstream tells watchers of quiet resources how far they are.
constexpr Duration kBookmarkEvery = std::chrono::seconds(60);

}  // namespace watch_stream

WatchStream::WatchStream(http::Loop& loop, std::unique_ptr<WatchChannel> channel, WatchPlan plan)
    : loop_(loop),
      channel_(std::move(channel)),
      plan_(std::move(plan)),
      timeout_(loop, [this] { end_in_time(); }),
      bookmark_(loop, [this] { send_bookmark(); }) {}

void WatchStream::start(store::Store& store, Duration most) {
  std::weak_ptr<WatchStream> self = weak_from_this();
  auto wake = [&loop = loop_, self] {
    loop.post([self] {
      if (const auto stream = self.lock()) stream->pump();
    });
  };
  Result<std::unique_ptr<WatchCursor>> cursor =
      WatchCursor::open(store, plan_.request, plan_.options, std::move(wake));
  if (!cursor) {
    fail(cursor.status());
    return;
  }
  cursor_ = std::move(*cursor);
  told_ = cursor_->progress();
  timeout_.start(plan_.options.timeout.value_or(most));
  if (plan_.options.bookmarks) bookmark_.start(watch_stream::kBookmarkEvery);
  pump();
}

void WatchStream::pump() {
  // Sending may say at once that there is room for more, in the middle of a batch: what follows
  // must not overtake the rest of it.
  if (pumping_) return;
  pumping_ = true;
  read_on();
  pumping_ = false;
}

void WatchStream::read_on() {
  while (!over_ && channel_->unsent() < watch_stream::kEnoughUnsent) {
    const Result<std::vector<WatchEvent>> events = cursor_->next(watch_stream::kEventsAtOnce);
    if (!events) {
      fail(events.status());
      return;
    }
    if (events->empty()) return;
    if (plan_.mark != nullptr) plan_.mark->sent_events(events->size());
    for (const WatchEvent& event : *events) {
      Result<Bytes> bytes = plan_.encoder.event(event, first_);
      if (!bytes) {
        fail(bytes.status());
        return;
      }
      channel_->send(std::move(*bytes));
      first_ = false;
      told_ = event.revision;
    }
  }
}

void WatchStream::send_bookmark() {
  const auto self = shared_from_this();  // sending may find that the client is gone
  if (over_) return;
  const store::Revision progress = cursor_->progress();
  if (progress > told_ && channel_->unsent() == 0) {
    Result<Bytes> bytes = plan_.encoder.event({EventType::kBookmark, nullptr, progress}, first_);
    if (bytes) channel_->send(std::move(*bytes));
    told_ = progress;
  }
  bookmark_.start(watch_stream::kBookmarkEvery);
}

void WatchStream::end_in_time() {
  const auto self = shared_from_this();
  if (plan_.options.bookmarks) {
    pump();
    send_bookmark();
  }
  stop();
}

void WatchStream::fail(const Status& status) {
  if (over_) return;
  channel_->send(plan_.encoder.error_event(status));
  stop();
}

void WatchStream::stop() {
  if (over_) return;
  over_ = true;
  timeout_.stop();
  bookmark_.stop();
  cursor_.reset();
  channel_->finish();
}

}  // namespace proa::apiserver
