#include "kubelet/runtime/cri/runtime_events.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "base/log.h"
#include "http/client/grpc.h"
#include "kubelet/runtime/cri/event_messages.h"

namespace proa::kubelet::cri {
namespace runtime_events {

using namespace std::chrono_literals;

const Log kLog{"kubelet"};

// How long to wait before a broken stream is opened again: a runtime that restarts is back soon.
constexpr Duration kFirstWait = 100ms;
constexpr Duration kLongestWait = 5s;
// Greetings that come before the subscription are lost, so another one follows, later each time.
constexpr Duration kGreetingWait = 100ms;
constexpr int kMostGreetings = 6;
// CRI's stream has no greeting: after this time it counts as started.
constexpr Duration kCriSettles = 1s;
// Delays after which exits are reported again. The CRI plugin knows of most within milliseconds; on
// a very busy machine, later.
constexpr std::array<Duration, 3> kEchoes{100ms, 1s, 5s};

// Hears nothing: for calls whose end does not matter.
class Deaf final : public http::GrpcEvents {
  void on_message(Bytes) override {}
  void on_end(const std::optional<Status>&) override {}
};

// All of it lives on the loop's thread, but for construction and destruction.
class Follower final : public RuntimeEvents {
 public:
  Follower(http::Client& client, http::Loop& loop, http::Origin origin, Listener listener)
      : clock_(client.clock()),
        loop_(loop),
        channel_(client, std::move(origin)),
        listener_(std::move(listener)) {
    loop_.run_and_wait([this] { begin(); });
  }
  ~Follower() override {
    loop_.run_and_wait([this] { end(); });
  }

 private:
  enum class Source : uint8_t { kContainerd, kCri };

  // What comes on one stream. The owner cancels it before it goes.
  class Stream final : public http::GrpcEvents {
   public:
    explicit Stream(Follower& owner) : owner_(owner) {}
    void on_message(Bytes message) override { owner_.heard(message.view()); }
    void on_end(const std::optional<Status>& failure) override { owner_.broke_off(failure); }

   private:
    Follower& owner_;
  };

  struct Echo {
    Steady due = {};
    size_t step = 0;
  };

  void begin();
  void end();
  void open();
  void greet();
  void heard(std::string_view message);
  void broke_off(const std::optional<Status>& failure);
  // The stream is in place.
  void settle();
  void tell_again_later(const std::string& id);
  void tell_again();
  void start_echo_timer();

  Clock& clock_;
  http::Loop& loop_;
  http::GrpcChannel channel_;
  const Listener listener_;
  std::optional<http::Timer> reopening_;
  std::optional<http::Timer> settling_;
  std::optional<http::Timer> echoing_;
  std::optional<http::GrpcCall> call_;
  std::map<std::string, Echo> echoes_;
  Source source_ = Source::kContainerd;
  Duration wait_ = kFirstWait;
  int greetings_ = 0;
  bool open_ = false;
  bool settled_ = false;
  bool complained_ = false;
};

void Follower::begin() {
  reopening_.emplace(loop_, [this] { open(); });
  settling_.emplace(loop_, [this] { source_ == Source::kContainerd ? greet() : settle(); });
  echoing_.emplace(loop_, [this] { tell_again(); });
  open();
}

void Follower::end() {
  if (call_) call_->cancel();
  call_.reset();
  reopening_.reset();
  settling_.reset();
  echoing_.reset();
}

void Follower::open() {
  open_ = true;
  settled_ = false;
  greetings_ = 0;
  const bool containerd = source_ == Source::kContainerd;
  auto call = channel_.start(containerd ? kSubscribe : kCriEvents, std::make_shared<Stream>(*this));
  if (!open_) return;  // it broke off at once
  call.send(containerd ? print_subscription() : std::string());
  call.half_close();
  call_.emplace(std::move(call));
  settling_->start(containerd ? Duration(0) : kCriSettles);
}

void Follower::greet() {
  // Without a greeting, the subscription is in place by now nevertheless.
  if (greetings_ == kMostGreetings) return settle();
  http::GrpcCall greeting =
      channel_.start(kPublish, std::make_shared<Deaf>(),
                     {{"containerd-namespace", std::string(kContainerdNamespace)}});
  greeting.send(print_greeting());
  greeting.half_close();
  settling_->start(kGreetingWait * (1 << greetings_++));
}

void Follower::settle() {
  if (settled_) return;
  settled_ = true;
  settling_->stop();
  wait_ = kFirstWait;
  listener_.resumed();
}

void Follower::heard(std::string_view message) {
  settle();
  const auto event =
      source_ == Source::kContainerd ? read_containerd_event(message) : read_cri_event(message);
  if (!event.ok()) {
    // It may have concerned any container.
    kLog.warn("decoding a runtime event failed", {{"error", event.status()}});
    return listener_.resumed();
  }
  const bool matters =
      event->kind == RuntimeEvent::Kind::kChanged || event->kind == RuntimeEvent::Kind::kEnded;
  if (!matters) return;
  if (event->kind == RuntimeEvent::Kind::kEnded) tell_again_later(event->id);
  listener_.changed(event->id);
}

void Follower::broke_off(const std::optional<Status>& failure) {
  call_.reset();
  open_ = false;
  settling_->stop();
  const bool unknown = failure && http::grpc_code(*failure) == http::GrpcCode::kUnimplemented;
  if (unknown && source_ == Source::kContainerd) {
    source_ = Source::kCri;
    return reopening_->start(Duration(0));
  }
  source_ = Source::kContainerd;
  if (unknown) {
    // Only the periodic resync is left.
    if (!complained_) kLog.warn("runtime does not support events, relying on resync", {});
    complained_ = true;
    listener_.resumed();
    wait_ = kLongestWait;
  } else if (settled_) {
    kLog.info(
        "runtime event stream ended, reconnecting",
        {{"error", failure ? std::string_view(failure->message()) : "closed by the runtime"}});
  }
  reopening_->start(wait_);
  wait_ = std::min(wait_ * 2, kLongestWait);
}

void Follower::tell_again_later(const std::string& id) {
  echoes_[id] = {.due = clock_.steady() + kEchoes[0], .step = 0};
  start_echo_timer();
}

void Follower::start_echo_timer() {
  if (echoes_.empty()) return echoing_->stop();
  Steady first = Steady::max();
  for (const auto& [id, echo] : echoes_) first = std::min(first, echo.due);
  echoing_->start(std::max(first - clock_.steady(), Duration(0)));
}

void Follower::tell_again() {
  const Steady now = clock_.steady();
  std::vector<std::string> due;
  for (auto& [id, echo] : echoes_) {
    if (echo.due > now) continue;
    due.push_back(id);
    if (++echo.step < kEchoes.size()) echo.due = now + kEchoes[echo.step];
  }
  std::erase_if(echoes_, [](const auto& entry) { return entry.second.step == kEchoes.size(); });
  start_echo_timer();
  for (const auto& id : due) listener_.changed(id);
}

}  // namespace runtime_events

std::unique_ptr<RuntimeEvents> follow_runtime(http::Client& client, http::Loop& loop,
                                              std::string socket,
                                              RuntimeEvents::Listener listener) {
  return follow_runtime(client, loop, http::Origin::unix_socket(std::move(socket)),
                        std::move(listener));
}

std::unique_ptr<RuntimeEvents> follow_runtime(http::Client& client, http::Loop& loop,
                                              http::Origin origin,
                                              RuntimeEvents::Listener listener) {
  return std::make_unique<runtime_events::Follower>(client, loop, std::move(origin),
                                                    std::move(listener));
}

}  // namespace proa::kubelet::cri
