#include "client/leader/while_leading.h"

namespace proa::client {

WhileLeading::WhileLeading(Client& client, Clock& clock, Random& random,
                           std::optional<ElectionOptions> election, Begin begin)
    : begin_(std::move(begin)) {
  if (!election) return;
  election_.emplace(client, clock, random, std::move(*election),
                    ElectionCallbacks{.started_leading = [this] { lead(); },
                                      .stopped_leading = [this] { give_way(); },
                                      .new_leader = {}});
}

WhileLeading::~WhileLeading() { stop(); }

void WhileLeading::start() {
  if (!election_) return lead();
  thread_ = std::jthread([this](const std::stop_token& stop) { election_->run(stop); });
}

void WhileLeading::stop() {
  if (thread_.joinable()) {
    thread_.request_stop();
    thread_.join();
  }
  give_way();
}

void WhileLeading::lead() {
  beginning_ = std::jthread([this](const std::stop_token& lost) { running_ = begin_(lost); });
}

void WhileLeading::give_way() {
  beginning_.request_stop();
  if (beginning_.joinable()) beginning_.join();
  running_.reset();
}

}  // namespace proa::client
