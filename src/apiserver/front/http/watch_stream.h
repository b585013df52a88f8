#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include "apiserver/front/fairness/ticket.h"
#include "apiserver/objects/watch_cursor.h"
#include "apiserver/representation/encode.h"
#include "apiserver/request/request_metrics.h"
#include "base/bytes.h"
#include "base/threads/pool.h"
#include "http/net/loop.h"
#include "store/store.h"

namespace proa::apiserver {

// The sink of a watch's events: a response body, or WebSocket messages. Loop thread only.
class WatchChannel {
 public:
  virtual ~WatchChannel() = default;
  virtual void send(Bytes event) = 0;
  virtual size_t unsent() const = 0;
  // No events follow.
  virtual void finish() = 0;
};

// The parameters of a watch, copied from the request, which it outlives.
struct WatchPlan {
  Request request;
  ListOptions options;
  Encoder encoder;
  std::shared_ptr<const RequestMark> mark = nullptr;  // counts the request
  Warnings warnings = {};                             // for the head of the response
  std::shared_ptr<void> counted = nullptr;            // as long as it watches
  fairness::TicketPtr seats = nullptr;                // until its initial events are read
  // When the definition of a custom resource is gone or has changed: what was written before is
  // sent, then the watch ends.
  std::stop_token replaced = {};
  // Of a custom resource: encodes the events that take long. Outlives the stream's last call.
  WorkerPool* pool = nullptr;
  // Opens it; null: the loop does. Where there are many objects to begin with, their list takes
  // long.
  WorkerPool* opened_by = nullptr;
  // Whether it reads events, too, since that may block or take long. REQUIRES: a pool.
  bool reads_on_pool = false;
};

// Reads a cursor and sends events until the client disconnects. Uses no thread, unless events take
// long: those of custom objects that are converted, searched or printed as rows. If the client does
// not read, the cursor is not advanced; once it falls out of the history, the watch ends with 410.
// While a webhook fails, events wait for it; as upstream, the watch ends if that takes too long.
// Lives and is destroyed on one loop.
class WatchStream : public std::enable_shared_from_this<WatchStream> {
 public:
  WatchStream(http::Loop& loop, std::unique_ptr<WatchChannel> channel, WatchPlan plan);

  // Opens the cursor. The store outlives the pools. Errors are sent as events, since the response
  // has begun.
  void start(store::Store& store, Duration default_timeout);
  // Call when the client can take more, or there may be new events.
  void pump();
  // No more events: the server shuts down, or the client has disconnected.
  void stop();

 private:
  static constexpr size_t kEventsAtOnce = 64;

  void opened(store::Store& store, Duration default_timeout,
              Result<std::unique_ptr<WatchCursor>> cursor);
  void read_on();
  void pump_later();
  Result<Bytes> take_encoded(const WatchEvent& event);
  bool read_events();
  bool take(Result<std::vector<WatchEvent>> events);
  void read_elsewhere();
  void read_there(Result<ServedEvents> read);
  void convert_later(const Status& failure, bool progressed);
  void convert_again();
  void encode_elsewhere();
  void encoded_there(Result<std::deque<Bytes>> encoded);
  void run_elsewhere(WorkerPool& pool, std::function<void()> task);
  void fail(const Status& status);
  void send_bookmark();
  void end_on_timeout();
  void end_after(store::Revision last);
  void end_if_drained();

  http::Loop& loop_;
  const std::unique_ptr<WatchChannel> channel_;
  fairness::TicketPtr seats_;  // of the plan
  const WatchPlan plan_;
  std::shared_ptr<WatchCursor> cursor_;  // while it is read elsewhere, nobody uses it here
  bool busy_elsewhere_ = false;          // a task opens, reads or encodes
  bool converts_later_ = false;          // a webhook failed
  bool woken_meanwhile_ = false;
  std::vector<WatchEvent> unconverted_;  // read before those that the cursor has
  std::optional<Steady> failing_since_;  // of the webhook
  std::vector<WatchEvent> events_;       // read, and from next_ on not sent
  size_t next_ = 0;
  std::deque<Bytes> encoded_;  // of those from next_ on, the first ones
  size_t at_once_ = kEventsAtOnce;
  bool first_ = true;
  bool ended_ = false;
  bool pumping_ = false;
  bool pumps_later_ = false;             // it is posted
  store::Revision sent_revision_;        // of the last event or bookmark sent
  std::optional<store::Revision> last_;  // set: later events are not sent, and the watch ends
  http::Timer timeout_;
  http::Timer bookmark_;
  http::Timer again_;  // converts what could not be converted
  std::unique_ptr<std::stop_callback<std::function<void()>>> on_replaced_;
};

}  // namespace proa::apiserver
