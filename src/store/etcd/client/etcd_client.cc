#include "store/etcd/client/etcd_client.h"

#include <algorithm>
#include <future>

#include "base/log.h"

namespace proa::store::etcd {
namespace etcd_client {

const Log kLog{"store"};

// Ranges of large objects; etcd itself limits what is written.
constexpr size_t kMaxMessage = 256u << 20;

Status stopped() { return {Reason::kServiceUnavailable, "the store is closed"}; }

// A member without a leader answers at once, instead of waiting for one.
const http::Headers& metadata() {
  static const http::Headers kMetadata = {{"hasleader", "true"}};
  return kMetadata;
}

http::ClientOptions client_options(const http::ClientTls& tls) {
  http::ClientOptions options;
  options.pool.tls = tls;
  options.pool.connect_timeout = std::chrono::seconds(3);
  return options;
}

bool is_failure_of_member(const Status& failure) {
  const http::GrpcCode code = http::grpc_code(failure);
  return code == http::GrpcCode::kUnavailable || code == http::GrpcCode::kDeadlineExceeded;
}

}  // namespace etcd_client

// A unary call. Loop thread only.
class EtcdClient::Call final : public http::GrpcEvents, public std::enable_shared_from_this<Call> {
 public:
  Call(EtcdClient& client, std::string_view method, Done done)
      : client_(client), method_(method), done_(std::move(done)), begin_(client.clock_.steady()) {}

  void begin(std::string_view message, Duration timeout) {
    if (client_.stopped_) return finish(etcd_client::stopped());
    http::GrpcChannel& channel = client_.choose(endpoint_);
    timer_ = std::make_unique<http::Timer>(client_.loops_.at(0), [this] { expire(); });
    timer_->start(timeout);
    call_.emplace(
        channel.start("/etcdserverpb." + method_, shared_from_this(), etcd_client::metadata()));
    call_->send(message);
    call_->half_close();
  }

  const std::string& method() const { return method_; }
  size_t endpoint() const { return endpoint_; }
  Steady begun() const { return begin_; }

 private:
  void on_message(Bytes message) override { answer_ = std::move(message); }
  void on_end(const std::optional<Status>& failure) override {
    if (failure) return finish(*failure);
    if (!answer_) {
      return finish(http::grpc_status(http::GrpcCode::kInternal, "the call has no answer"));
    }
    finish(std::move(*answer_));
  }
  void expire() {
    const auto self = shared_from_this();  // cancelling releases the last other reference
    call_->cancel();
    finish(http::grpc_status(http::GrpcCode::kDeadlineExceeded, "etcd does not answer"));
  }
  void finish(Result<Bytes> result) {
    if (!done_) return;
    const Done done = std::exchange(done_, nullptr);
    if (timer_ != nullptr) {
      timer_->stop();
      client_.finished(*this, result);
      // It may be what called this.
      client_.loops_.at(0).post([self = shared_from_this()] { self->timer_.reset(); });
    }
    done(std::move(result));
  }

  EtcdClient& client_;
  const std::string method_;
  Done done_;
  const Steady begin_;
  size_t endpoint_ = 0;
  std::unique_ptr<http::Timer> timer_;
  std::optional<http::GrpcCall> call_;
  std::optional<Bytes> answer_;
};

struct EtcdClient::Alarm {
  std::unique_ptr<http::Timer> timer;
  std::function<void()> task;
};

EtcdClient::EtcdClient(std::vector<http::Origin> endpoints, const http::ClientTls& tls,
                       RequestObserver observe)
    : origins_(std::move(endpoints)),
      observe_(std::move(observe)),
      client_(std::make_unique<http::Client>(loops_, clock_, etcd_client::client_options(tls))),
      endpoints_(origins_.size()) {
  for (const http::Origin& origin : origins_) {
    channels_.push_back(std::make_unique<http::GrpcChannel>(
        *client_, origin, http::GrpcOptions{.max_message = etcd_client::kMaxMessage}));
  }
}

http::GrpcChannel& EtcdClient::choose(size_t& endpoint) {
  MutexLock lock(mutex_);
  endpoint = endpoints_.choose(clock_.steady());
  return *channels_[endpoint];
}

void EtcdClient::start(std::string_view method, std::string message, Duration timeout, Done done) {
  auto call = std::make_shared<Call>(*this, method, std::move(done));
  loops_.at(0).post([call = std::move(call), message = std::move(message), timeout] {
    call->begin(message, timeout);
  });
}

Result<Bytes> EtcdClient::ask(std::string_view method, std::string message, Duration timeout) {
  const auto answer = std::make_shared<std::promise<Result<Bytes>>>();
  auto future = answer->get_future();
  start(method, std::move(message), timeout,
        [answer](Result<Bytes> result) { answer->set_value(std::move(result)); });
  return future.get();
}

http::GrpcCall EtcdClient::open(std::string_view method, std::shared_ptr<http::GrpcEvents> events,
                                size_t& endpoint) {
  http::GrpcChannel& channel = choose(endpoint);
  return channel.start("/etcdserverpb." + std::string(method), std::move(events),
                       etcd_client::metadata());
}

void EtcdClient::left(size_t endpoint) {
  {
    MutexLock lock(mutex_);
    endpoints_.failed(endpoint, clock_.steady());
  }
  if (on_left_ && origins_.size() > 1) on_left_(endpoint);
}

void EtcdClient::worked(size_t endpoint) {
  MutexLock lock(mutex_);
  endpoints_.worked(endpoint);
}

void EtcdClient::finished(const Call& call, const Result<Bytes>& result) {
  const bool failed = !result.ok() && etcd_client::is_failure_of_member(result.status());
  if (failed && !stopped_) {
    etcd_client::kLog.debug("etcd request failed", {{"endpoint", origins_[call.endpoint()].str()},
                                                    {"method", call.method()},
                                                    {"error", result.status()}});
  }
  failed ? left(call.endpoint()) : worked(call.endpoint());
  if (!observe_) return;
  const std::string_view method = call.method();
  observe_({.method = method.substr(method.find('/') + 1),
            .took = clock_.steady() - call.begun(),
            .failed = !result.ok()});
}

void EtcdClient::after(Duration wait, std::function<void()> task) {
  auto alarm = std::make_shared<Alarm>();
  alarm->task = std::move(task);
  loops_.at(0).run([this, alarm = std::move(alarm), wait] {
    if (stopped_) return;
    alarm->timer = std::make_unique<http::Timer>(loops_.at(0), [this, found = alarm.get()] {
      const auto at = std::find_if(alarms_.begin(), alarms_.end(),
                                   [&](const auto& one) { return one.get() == found; });
      std::shared_ptr<Alarm> fired = std::move(*at);
      alarms_.erase(at);
      fired->task();
      loops_.at(0).post([fired] { fired->timer.reset(); });
    });
    alarm->timer->start(wait);
    alarms_.push_back(alarm);
  });
}

void EtcdClient::stop() {
  if (client_ == nullptr) return;
  loops_.at(0).run_and_wait([this] {
    stopped_ = true;
    alarms_.clear();
  });
  // Fails the calls that are pending.
  client_.reset();
  // What they posted runs before this.
  loops_.at(0).run_and_wait([] {});
}

bool is_ambiguous(const Status& failure) {
  switch (http::grpc_code(failure)) {
    case http::GrpcCode::kCancelled:
    case http::GrpcCode::kUnknown:
    case http::GrpcCode::kDeadlineExceeded:
    case http::GrpcCode::kAborted:
    case http::GrpcCode::kInternal:
    case http::GrpcCode::kDataLoss:
      return true;
    case http::GrpcCode::kUnavailable:
      return failure.message() != "etcdserver: no leader";
    default:
      return false;
  }
}

Status store_failure(const Status& failure) {
  const std::string& why = failure.message();
  if (why.starts_with("unable to transform")) return failure;
  switch (http::grpc_code(failure)) {
    case http::GrpcCode::kResourceExhausted:
      if (why.find("space exceeded") != std::string::npos) {
        return {Reason::kInsufficientStorage,
                "etcd has no space left (" + why +
                    "): compact and defragment it, or raise its quota, then disarm its alarm"};
      }
      return {Reason::kTooManyRequests, "etcd is overloaded: " + why};
    case http::GrpcCode::kInvalidArgument:
      if (why.find("too large") != std::string::npos)
        return {Reason::kRequestEntityTooLarge, "etcdserver: request is too large"};
      return {Reason::kBadRequest, "etcd refused the request: " + why};
    case http::GrpcCode::kUnauthenticated:
    case http::GrpcCode::kPermissionDenied:
      return {Reason::kServiceUnavailable, "etcd does not accept these credentials: " + why};
    case http::GrpcCode::kDeadlineExceeded:
      return {Reason::kServiceUnavailable, "etcd does not answer in time"};
    case http::GrpcCode::kUnavailable:
      if (why.find("no leader") != std::string::npos)
        return {Reason::kServiceUnavailable, "etcd has no leader: is a majority of it running?"};
      return {Reason::kServiceUnavailable, "etcd cannot be reached: " + why};
    default:
      return {Reason::kServiceUnavailable, "etcd failed: " + why};
  }
}

}  // namespace proa::store::etcd
