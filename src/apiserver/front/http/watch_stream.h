#pragma once

#include <functional>
#include <memory>

#include "apiserver/objects/watch_cursor.h"
#include "apiserver/representation/encode.h"
#include "apiserver/request/request_metrics.h"
#include "base/bytes.h"
#include "http/net/loop.h"
#include "store/store.h"

namespace proa::apiserver {

// Where the events of a watch go: the body of an answer, or the messages of a WebSocket. Loop
// thread only.
class WatchChannel {
 public:
  virtual ~WatchChannel() = default;
  virtual void send(Bytes event) = 0;
  virtual size_t unsent() const = 0;
  // Nothing follows.
  virtual void finish() = 0;
};

// What a watch is about; copied out of the request, which it outlives.
struct WatchPlan {
  Request request;
  ListOptions options;
  Encoder encoder;
  std::shared_ptr<const RequestMark> mark = nullptr;  // counts it
};

// Reads a cursor and sends events for as long as the client listens. Holds no thread. For a client
// that does not read, nothing is read: its cursor stays where it is, and when that falls out of the
// history, the watch ends with 410. Lives on one loop; destroyed there.
class WatchStream : public std::enable_shared_from_this<WatchStream> {
 public:
  WatchStream(http::Loop& loop, std::unique_ptr<WatchChannel> channel, WatchPlan plan);

  // Opens the cursor. What is wrong is said as an event: the answer has begun.
  void start(store::Store& store, Duration most);
  // The client can take more, or there may be something new.
  void pump();
  // No more events: the server goes down, or the client is gone.
  void stop();

 private:
  void read_on();
  void fail(const Status& status);
  void send_bookmark();
  void end_in_time();

  http::Loop& loop_;
  const std::unique_ptr<WatchChannel> channel_;
  const WatchPlan plan_;
  std::unique_ptr<WatchCursor> cursor_;
  bool first_ = true;
  bool over_ = false;
  bool pumping_ = false;
  store::Revision told_;  // by the last event or bookmark
  http::Timer timeout_;
  http::Timer bookmark_;
};

}  // namespace proa::apiserver
