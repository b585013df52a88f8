#include "http/server/server.h"

namespace proa::http {

bool ConnectionCount::try_add(const std::string& address, const ServerLimits& limits) {
  MutexLock lock(mutex_);
  if (total_ >= limits.connections) return false;
  if (!address.empty()) {
    size_t& count = by_address_[address];
    if (count >= limits.connections_per_address) return false;
    ++count;
  }
  ++total_;
  return true;
}

void ConnectionCount::remove(const std::string& address) {
  MutexLock lock(mutex_);
  --total_;
  const auto found = by_address_.find(address);
  if (found != by_address_.end() && --found->second == 0) by_address_.erase(found);
  if (total_ == 0) changed_.notify_all();
}

size_t ConnectionCount::total() const {
  MutexLock lock(mutex_);
  return total_;
}

bool ConnectionCount::wait_for_none(Duration timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  MutexLock lock(mutex_);
  while (total_ > 0 && std::chrono::steady_clock::now() < deadline)
    changed_.wait_until(mutex_, deadline);
  return total_ == 0;
}

Server::Server(LoopGroup& loops, Handler& handler, ServerLimits limits)
    : loops_(loops), handler_(handler), limits_(std::make_shared<const ServerLimits>(limits)) {
  for (size_t i = 0; i < loops.size(); ++i)
    lanes_.push_back(std::make_unique<Lane>(Lane{&loops.at(i), {}}));
}

Server::~Server() {
  stop_listening();
  for_each_lane([](Lane& lane) {
    auto connections = lane.connections;
    for (auto& [key, connection] : connections) connection->close();
  });
  for_each_lane([](Lane&) {});  // closing was posted: once this has run, so has that
}

void Server::for_each_lane(const std::function<void(Lane&)>& task) {
  for (auto& lane : lanes_) lane->loop->run_and_wait([&] { task(*lane); });
}

void Server::stop_listening() {
  for (auto& listener : listeners_) listener->stop();
  listeners_.clear();
}

Result<Endpoint> Server::listen(const Endpoint& where, const TlsSource* tls) {
  auto listener = std::make_unique<Listener>(
      loops_.next(), [this, tls](int descriptor, std::string address, bool is_unix) {
        accepted(descriptor, address, is_unix, tls);
      });
  const Endpoint bound = TRY(listener->listen(where));
  listeners_.push_back(std::move(listener));
  return bound;
}

void Server::accepted(int descriptor, const std::string& address, bool is_unix,
                      const TlsSource* tls) {
  if (draining_.load() || !count_.try_add(address, *limits_)) {
    close_descriptor(descriptor);
    return;
  }
  Lane& lane = *lanes_[turn_.fetch_add(1) % lanes_.size()];
  lane.loop->run([this, &lane, descriptor, address, is_unix, tls] {
    adopt(lane, descriptor, address, is_unix, tls);
  });
}

void Server::adopt(Lane& lane, int descriptor, const std::string& address, bool is_unix,
                   const TlsSource* tls) {
  auto socket =
      Socket::adopt(*lane.loop, descriptor, is_unix, tls != nullptr ? tls->get() : nullptr);
  if (!socket) return count_.remove(address);
  ConnectionContext context{handler_, limits_, [this, &lane](Connection& connection) {
                              const auto found = lane.connections.find(&connection);
                              if (found == lane.connections.end()) return;
                              // Destroyed later: it is still on the stack.
                              lane.loop->post([owned = std::move(found->second)] {});
                              lane.connections.erase(found);
                              count_.remove(connection.address());
                            }};
  auto connection = std::make_shared<Connection>(std::move(socket), address, std::move(context));
  lane.connections.emplace(connection.get(), connection);
  connection->start();
  if (draining_.load()) connection->drain();
}

void Server::drain() {
  draining_.store(true);
  stop_listening();
  for_each_lane([](Lane& lane) {
    auto connections = lane.connections;  // draining one may end it
    for (auto& [key, connection] : connections) connection->drain();
  });
  count_.wait_for_none(limits_->drain_timeout);
}

}  // namespace proa::http
