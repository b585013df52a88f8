#include "client/leader/while_leading.h"

#include <algorithm>

namespace proa::client {
namespace while_leading {

// Caches are filled by then, and a lease was taken over.
constexpr Duration kGrace = std::chrono::seconds(10);

std::string for_seconds(Duration duration) {
  return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(duration).count()) + "s";
}

}  // namespace while_leading

WhileLeading::WhileLeading(Client& client, Clock& clock, Random& random,
                           std::optional<ElectionOptions> election, Begin begin)
    : clock_(clock), begin_(std::move(begin)), since_(clock.steady()) {
  if (!election) return;
  election_.emplace(client, clock, random, std::move(*election),
                    ElectionCallbacks{.started_leading = [this] { lead(); },
                                      .stopped_leading = [this] { give_way(State::kWaiting); },
                                      .new_leader = {}});
}

WhileLeading::~WhileLeading() { stop(); }

void WhileLeading::start() {
  set(State::kWaiting);
  if (!election_) return lead();
  thread_ = std::jthread([this](const std::stop_token& stop) { election_->run(stop); });
}

void WhileLeading::stop() {
  if (thread_.joinable()) {
    thread_.request_stop();
    thread_.join();
  }
  give_way(State::kStopped);
}

void WhileLeading::set(State state) {
  MutexLock lock(mutex_);
  state_ = state;
  since_ = clock_.steady();
}

void WhileLeading::lead() {
  set(State::kBeginning);
  beginning_ = std::jthread([this](const std::stop_token& lost) { begin(lost); });
}

void WhileLeading::begin(const std::stop_token& lost) {
  running_ = begin_(lost);
  if (running_ != nullptr) {
    set(State::kRunning);
  } else if (!lost.stop_requested()) {
    set(State::kBroken);
  }
}

void WhileLeading::give_way(State next) {
  beginning_.request_stop();
  if (beginning_.joinable()) beginning_.join();
  running_.reset();
  set(next);
}

Result<void> WhileLeading::health() const {
  State state = State::kStopped;
  Steady since;
  {
    MutexLock lock(mutex_);
    state = state_;
    since = since_;
  }
  if (state == State::kRunning) return {};
  if (state == State::kBroken) {
    return Status(Reason::kInternalError, "its start failed; the log has the reason");
  }
  const bool waits = state == State::kWaiting && election_.has_value();
  if (waits) since = std::max(since, election_->held_until());
  const Steady now = clock_.steady();
  if (now - since <= while_leading::kGrace) return {};
  const std::string duration = while_leading::for_seconds(now - since);
  if (!waits) {
    return Status(Reason::kServiceUnavailable,
                  (state == State::kStopped ? "not running for " : "starting for ") + duration);
  }
  const std::string failure = election_->failure();
  return Status(Reason::kServiceUnavailable,
                "there is no leader for " + duration + (failure.empty() ? "" : ": " + failure));
}

}  // namespace proa::client
