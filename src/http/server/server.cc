#include "http/server/server.h"

#include <algorithm>

namespace proa::http {
namespace server {

// How many connections are compared to find the one to close, and how many are looked at to
// find those of an address.
constexpr size_t kCompared = 16;
constexpr size_t kLookedAt = 512;

}  // namespace server

void Server::Lane::add(const std::shared_ptr<Connection>& connection) {
  auto& list = used_as(connection->use());
  connection->place = list.insert(list.end(), connection.get());
  connections.emplace(connection.get(), connection);
}

void Server::Lane::move(Connection& connection, ConnectionUse from, ConnectionUse to) {
  auto& list = used_as(to);
  list.splice(list.end(), used_as(from), connection.place);
}

void Server::Lane::remove(Connection& connection) {
  const auto found = connections.find(&connection);
  if (found == connections.end()) return;
  used_as(connection.use()).erase(connection.place);
  // Destroyed later: it is still on the stack.
  loop->post([owned = std::move(found->second)] {});
  connections.erase(found);
}

Server::Server(LoopGroup& loops, Handler& handler, ServerLimits limits)
    : loops_(loops),
      handler_(handler),
      limits_(std::make_shared<const ServerLimits>(limits)),
      count_(std::make_shared<ConnectionCount>(limits.connections, limits.connections_per_address)),
      bodies_(std::make_shared<BodyBudget>(limits.bodies)),
      heads_(std::make_shared<HeadBudget>(limits.heads)),
      output_(std::make_shared<OutputBudget>(limits.unsent_total)),
      unread_heads_(std::make_shared<OutputBudget>(limits.heads.unread)) {
  for (size_t i = 0; i < loops.size(); ++i) {
    Loop& loop = loops.at(i);
    const auto post = [&loop](std::function<void()> task) { loop.post(task); };
    lanes_.push_back(std::make_unique<Lane>(
        Lane{&loop, output_->add_lane(post), unread_heads_->add_lane(post)}));
  }
}

Server::~Server() {
  draining_.store(true);
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
  for (const Listening& one : listeners_) one.listener->stop();
  listeners_.clear();
}

Result<Endpoint> Server::listen(const Endpoint& where, const TlsSource* tls) {
  return listen_for(handler_, where, tls);
}

Result<Endpoint> Server::listen_for(Handler& handler, const Endpoint& where, const TlsSource* tls) {
  auto service = std::make_shared<Service>(handler, tls);
  auto listener = std::make_unique<Listener>(
      loops_.next(),
      [this, service](int descriptor, std::string address, bool is_unix) {
        accepted(descriptor, address, is_unix, service);
      },
      [this] {
        for (auto& lane : lanes_) lane->loop->post([this, &lane = *lane] { make_room(lane, ""); });
      });
  const Endpoint bound = TRY(listener->listen(where));
  listeners_.push_back({std::move(service), std::move(listener)});
  return bound;
}

void Server::stop(const Handler& handler) {
  std::erase_if(listeners_, [&handler](const Listening& one) {
    if (&one.service->handler != &handler) return false;
    one.service->stopped.store(true);
    one.listener->stop();
    return true;
  });
  for_each_lane([&handler](Lane& lane) {
    auto connections = lane.connections;
    for (auto& [key, connection] : connections) {
      if (&connection->handler() == &handler) connection->close();
    }
  });
  for_each_lane([](Lane&) {});  // as in the destructor
}

void Server::accepted(int descriptor, const std::string& address, bool is_unix,
                      const std::shared_ptr<Service>& service) {
  if (draining_.load()) return close_descriptor(descriptor);
  const Accepted made{descriptor, address, is_unix, service, count_->add(address)};
  if (!made.arrival.place) return close_descriptor(descriptor);
  const size_t lane = turn_.fetch_add(1) % lanes_.size();
  if (made.arrival.crowd != ConnectionCount::Crowd::kNone) return adopt_when_room(made, lane, 0);
  lanes_[lane]->loop->run([this, made, lane] { adopt(*lanes_[lane], made); });
}

void Server::adopt_when_room(const Accepted& made, size_t lane, size_t tried) {
  if (tried == lanes_.size() || draining_.load()) return close_descriptor(made.descriptor);
  lanes_[lane]->loop->run([this, made, lane, tried] {
    const bool of_one = made.arrival.crowd == ConnectionCount::Crowd::kAddress;
    if (draining_.load()) return close_descriptor(made.descriptor);
    if (make_room(*lanes_[lane], of_one ? made.address : "")) return adopt(*lanes_[lane], made);
    adopt_when_room(made, (lane + 1) % lanes_.size(), tried + 1);
  });
}

bool Server::make_room(Lane& lane, const std::string& address) {
  return close_new_one(lane, address) ||
         close(choose(lane.used_as(ConnectionUse::kIdle), address, &Connection::may_yield)) ||
         close(choose(lane.used_as(ConnectionUse::kBusy), address, &Connection::is_stalled));
}

// Honest clients do their part of the handshake within moments, also in a flood: those for which
// nothing has happened for longest go first, and of those the silent ones. A connection that was
// just accepted is not silent yet: its first bytes may not be read, or be on their way.
bool Server::close_new_one(Lane& lane, const std::string& address) {
  const Choice silent =
      choose(lane.used_as(ConnectionUse::kSilent), address, &Connection::may_yield);
  const Choice greeting =
      choose(lane.used_as(ConnectionUse::kGreeting), address, &Connection::may_yield);
  if (silent.connection == nullptr || greeting.connection == nullptr) {
    return close(silent.connection != nullptr ? silent : greeting);
  }
  if (silent.of_address != greeting.of_address) {
    return close(silent.of_address > greeting.of_address ? silent : greeting);
  }
  const Steady since = silent.connection->last_progress();
  const bool is_silent = lane.loop->now() - since >= limits_->silent_time;
  return close(is_silent || since < greeting.connection->last_progress() ? silent : greeting);
}

// Of the oldest, one of the address that has most: a flood takes its own places, not those of
// others.
Server::Choice Server::choose(const std::list<Connection*>& among, const std::string& address,
                              Condition may_close) const {
  Choice chosen;
  size_t compared = 0;
  size_t looked_at = 0;
  for (Connection* const next : among) {
    Connection& one = *next;
    if (compared == server::kCompared || looked_at++ == server::kLookedAt) break;
    if (!address.empty() && one.address() != address) continue;
    if (!(one.*may_close)()) continue;
    ++compared;
    const size_t count = one.address().empty() ? 1 : count_->of_address(one.address());
    if (count > chosen.of_address) chosen = {&one, count};
  }
  return chosen;
}

bool Server::close(const Choice& chosen) {
  if (chosen.connection == nullptr) return false;
  chosen.connection->yield_place();
  return true;
}

void Server::adopt(Lane& lane, const Accepted& made) {
  if (made.is_late()) return close_descriptor(made.descriptor);
  const TlsSource* tls = made.service->tls;
  auto socket = Socket::adopt(*lane.loop, made.descriptor, made.is_unix,
                              tls != nullptr ? tls->get() : nullptr);
  if (!socket) return;
  ConnectionContext context{.handler = made.service->handler,
                            .limits = limits_,
                            .bodies = bodies_,
                            .heads = heads_,
                            .output = lane.output,
                            .unread_heads = lane.unread_heads,
                            .place = made.arrival.place,
                            .used = [&lane](Connection& used, ConnectionUse from,
                                            ConnectionUse to) { lane.move(used, from, to); },
                            .closed = [&lane](Connection& closed) { lane.remove(closed); }};
  const auto connection =
      std::make_shared<Connection>(std::move(socket), made.address, std::move(context));
  lane.add(connection);
  connection->start();
  if (draining_.load()) connection->drain();
  const size_t without_request =
      lane.used_as(ConnectionUse::kSilent).size() + lane.used_as(ConnectionUse::kGreeting).size();
  const size_t most = std::max<size_t>(1, limits_->silent_connections / lanes_.size());
  if (without_request > most) close_new_one(lane, "");
}

void Server::drain() {
  draining_.store(true);
  stop_listening();
  for_each_lane([](Lane& lane) {
    auto connections = lane.connections;  // draining one may end it
    for (auto& [key, connection] : connections) connection->drain();
  });
  count_->wait_for_none(limits_->drain_timeout);
}

}  // namespace proa::http
