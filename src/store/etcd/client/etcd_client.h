#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/threads/mutex.h"
#include "http/client/grpc.h"
#include "store/etcd/client/endpoints.h"

namespace proa::store::etcd {

// What is counted of requests; see EtcdOptions.
struct RequestOutcome {
  std::string_view method;  // "Txn"
  Duration took;
  bool failed = false;
};
using RequestObserver = std::function<void(const RequestOutcome&)>;

// gRPC calls to one of several members of an etcd cluster, on an event loop of its own. A member
// that fails is left for the next. Time is that of the system: other processes do not follow a
// test's clock. Thread-safe.
class EtcdClient {
 public:
  using Done = std::function<void(Result<Bytes>)>;

  // REQUIRES: endpoints is not empty.
  EtcdClient(std::vector<http::Origin> endpoints, const http::ClientTls& tls,
             RequestObserver observe);
  ~EtcdClient() { stop(); }

  // `method`: "KV/Txn". `done` is called once, on the loop's thread; it must not block.
  void start(std::string_view method, std::string message, Duration timeout, Done done);
  // The same, but waits. Not on the loop's thread.
  Result<Bytes> ask(std::string_view method, std::string message, Duration timeout);
  // A stream to the current member.
  http::GrpcCall open(std::string_view method, std::shared_ptr<http::GrpcEvents> events,
                      size_t& endpoint);
  // What was opened there failed.
  void left(size_t endpoint) EXCLUDES(mutex_);
  void worked(size_t endpoint) EXCLUDES(mutex_);
  // `failed` is called with an endpoint that is left for another one; must not block. REQUIRES: no
  // call was started yet.
  void on_left(std::function<void(size_t endpoint)> failed) { on_left_ = std::move(failed); }
  // Calls back on the loop's thread, unless it is stopped before.
  void after(Duration wait, std::function<void()> task);

  // Pending calls fail, and those that follow. Not on the loop's thread.
  void stop();
  Clock& clock() { return clock_; }

 private:
  class Call;
  struct Alarm;

  http::GrpcChannel& choose(size_t& endpoint) EXCLUDES(mutex_);
  void finished(const Call& call, const Result<Bytes>& result);

  const std::vector<http::Origin> origins_;
  const RequestObserver observe_;
  std::function<void(size_t)> on_left_;
  SystemClock clock_;
  http::LoopGroup loops_{1};
  std::unique_ptr<http::Client> client_;
  std::vector<std::unique_ptr<http::GrpcChannel>> channels_;
  Mutex mutex_;
  Endpoints endpoints_ GUARDED_BY(mutex_);
  // Loop thread only.
  bool stopped_ = false;
  std::vector<std::shared_ptr<Alarm>> alarms_;
};

// Whether a call that failed this way may have been carried out, or will be.
bool is_ambiguous(const Status& failure);
// Such a failure of etcd in the terms of Store, and in clear words.
Status store_failure(const Status& failure);

}  // namespace proa::store::etcd
