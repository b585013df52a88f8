#include "client/informer/informer.h"

#include "base/check.h"

namespace proa::client {

Informer::Informer(Client& client, Clock& clock, Random& random, Selector selector)
    : clock_(clock),
      reflector_(client, clock, random, std::move(selector), cache_, [this](const Change& change) {
        for (const Handler& handler : handlers_) handler(change);
      }) {}

Informer::~Informer() { stop(); }

void Informer::add_index(std::string name, IndexFunction function) {
  CHECK(!thread_.joinable());
  cache_.add_index(std::move(name), std::move(function));
}

void Informer::add_handler(Handler handler) {
  CHECK(!thread_.joinable());
  handlers_.push_back(std::move(handler));
}

void Informer::start() {
  CHECK(!thread_.joinable());
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void Informer::stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

void Informer::on_work(std::function<void()> wake) {
  must_notify_ = true;
  reflector_.on_ready(std::move(wake));
}

Steady Informer::poll() {
  // A deadline in the past: nothing blocks.
  const Until now{.deadline = Steady::min(), .stop = {}};
  while (reflector_.step(now)) {
  }
  tell_synced();
  if (!reflector_.notifies()) {
    CHECK(!must_notify_);
    return Steady::min();
  }
  const Steady wanted = reflector_.not_before();
  return wanted > clock_.steady() ? wanted : Steady::max();
}

void Informer::run(const std::stop_token& stop) {
  const std::stop_callback stopped(stop, [this] { wake(); });
  while (!stop.stop_requested()) {
    pause(stop);
    reflector_.step({.deadline = Steady::max(), .stop = stop});
    tell_synced();
  }
}

void Informer::tell_synced() {
  if (notified_ || !synced()) return;
  notified_ = true;
  wake();
}

void Informer::pause(const std::stop_token& stop) {
  const Steady wanted = reflector_.not_before();
  MutexLock lock(mutex_);
  while (!stop.stop_requested() && clock_.steady() < wanted) {
    clock_.wait_until(changed_, mutex_, wanted);
  }
}

void Informer::wake() {
  MutexLock lock(mutex_);
  changed_.notify_all();
}

bool Informer::wait_synced(const Until& until) {
  const std::stop_callback stopped(until.stop, [this] { wake(); });
  MutexLock lock(mutex_);
  while (!synced()) {
    if (until.stop.stop_requested() || clock_.steady() >= until.deadline) return false;
    clock_.wait_until(changed_, mutex_, until.deadline);
  }
  return true;
}

}  // namespace proa::client
