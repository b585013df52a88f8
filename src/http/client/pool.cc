#include "http/client/pool.h"

#include <algorithm>
#include <utility>

#include "http/client/http1_carrier.h"
#include "http/client/http2_carrier.h"

namespace proa::http {
namespace pool {

// A call is retried at most this often.
constexpr int kMaxAttempts = 4;

Status closed() { return {Reason::kServiceUnavailable, "the HTTP client is closed"}; }

}  // namespace pool

Pool::Pool(Loop& loop, PoolOptions options) : loop_(loop), options_(std::move(options)) {}

Pool::~Pool() {
  closing_ = true;
  for (const auto& attempt : std::exchange(upgrades_, {})) attempt->fail(pool::closed());
  auto entries = std::exchange(entries_, {});
  for (auto& [origin, entry] : entries) {
    for (const auto& connection : entry.connections) {
      connection->close(pool::closed());
      drop_later(connection);
    }
    for (const auto& call : entry.waiting) call->fail(pool::closed());
  }
}

void Pool::start(std::shared_ptr<ClientCall> call) {
  if (call->over()) return;
  if (closing_) return call->fail(pool::closed());
  const Origin origin = call->request().origin;
  entries_[origin].waiting.push_back(std::move(call));
  serve(origin);
}

void Pool::start_over(std::shared_ptr<ClientCall> call) {
  if (call->attempts() >= pool::kMaxAttempts) {
    return call->fail(Status(Reason::kServiceUnavailable,
                             call->request().origin.str() + ": refused the request"));
  }
  start(std::move(call));
}

// A retried call needs a new connection: other kept ones are probably as dead as its first.
PooledConnection* Pool::find_room(Entry& entry, const ClientCall& call) const {
  const bool takes_kept = entry.is_http2 || call.attempts() == 0 ||
                          entry.connections.size() >= options_.connections_per_origin;
  if (!takes_kept) return nullptr;
  // From the back, the newest: the oldest then become idle and are closed.
  for (auto it = entry.connections.rbegin(); it != entry.connections.rend(); ++it) {
    if ((*it)->has_room()) return it->get();
  }
  return nullptr;
}

void Pool::serve(const Origin& origin) {
  while (true) {
    // Looked up each time: a call may fail immediately, and its events may start others.
    const auto found = entries_.find(origin);
    if (found == entries_.end()) return;
    Entry& entry = found->second;
    if (entry.waiting.empty()) break;
    if (entry.waiting.front()->over()) {
      entry.waiting.pop_front();
      continue;
    }
    PooledConnection* connection = find_room(entry, *entry.waiting.front());
    if (connection == nullptr) break;
    const auto call = std::move(entry.waiting.front());
    entry.waiting.pop_front();
    connection->start(call);
  }
  const auto found = entries_.find(origin);
  if (found == entries_.end()) return;
  while (wants_connector(found->second)) connect(origin, found->second);
  forget_if_empty(origin);
}

bool Pool::wants_connector(const Entry& entry) const {
  const size_t under_way = entry.connectors.size();
  if (entry.waiting.size() <= under_way) return false;
  if ((!entry.is_known || entry.is_http2) && under_way > 0) return false;
  return entry.connections.size() + under_way < options_.connections_per_origin;
}

ConnectOptions Pool::connect_options(Duration timeout) const {
  return {.tls = options_.tls,
          .timeout = timeout,
          .count = options_.count,
          .dial = options_.dial,
          .check_address = options_.check_address};
}

void Pool::make_room() {
  if (!options_.count || !options_.count->is_full()) return;
  std::vector<std::shared_ptr<PooledConnection>> idle;
  for (const auto& [origin, entry] : entries_) {
    std::ranges::copy_if(entry.connections, std::back_inserter(idle),
                         [](const auto& connection) { return connection->is_idle(); });
  }
  for (const auto& connection : idle) connection->retire();
}

void Pool::connect(const Origin& origin, Entry& entry) {
  make_room();
  // Identified by its address: the connector does not exist yet when its callback is created.
  auto name = std::make_shared<const Connector*>(nullptr);
  auto connector = Connector::start(loop_, origin, connect_options(options_.connect_timeout),
                                    [this, origin, name](Result<std::unique_ptr<Socket>> result) {
                                      connected(origin, *name, std::move(result));
                                    });
  *name = connector.get();
  entry.connectors.push_back(std::move(connector));
}

void Pool::connected(const Origin& origin, const Connector* by,
                     Result<std::unique_ptr<Socket>> result) {
  Entry& entry = entries_.at(origin);
  std::erase_if(entry.connectors, [&](const auto& connector) { return connector.get() == by; });
  if (!result.ok()) return connect_failed(origin, result.status());

  std::unique_ptr<Socket> socket = std::move(*result);
  const bool agreed_on_http2 = socket->alpn() == "h2";
  if (origin.tls && origin.protocol == HttpProtocol::kHttp2 && !agreed_on_http2) {
    return connect_failed(
        origin, Status(Reason::kServiceUnavailable, origin.str() + ": does not support HTTP/2"));
  }
  entry.is_known = true;
  entry.is_http2 = agreed_on_http2 || (!origin.tls && origin.protocol == HttpProtocol::kHttp2);
  std::shared_ptr<PooledConnection> connection;
  if (entry.is_http2) {
    connection =
        std::make_shared<Http2Carrier>(*this, origin, std::move(socket), options_.connection);
  } else {
    connection =
        std::make_shared<Http1Carrier>(*this, origin, std::move(socket), options_.connection);
  }
  entry.connections.push_back(connection);
  // The longest waiting call gets it, even a retried one.
  if (!entry.is_http2) {
    while (!entry.waiting.empty()) {
      const auto call = std::move(entry.waiting.front());
      entry.waiting.pop_front();
      if (call->over()) continue;
      connection->start(call);
      break;
    }
  }
  serve(origin);
}

void Pool::connect_failed(const Origin& origin, const Status& why) {
  Entry& entry = entries_.at(origin);
  std::deque<std::shared_ptr<ClientCall>> failed;
  if (entry.connectors.empty() && entry.connections.empty()) {
    failed = std::exchange(entry.waiting, {});
  } else if (!entry.waiting.empty()) {
    // Other calls may still get a connection.
    failed.push_back(std::move(entry.waiting.front()));
    entry.waiting.pop_front();
  }
  for (const auto& call : failed) call->fail(why);
  serve(origin);
}

void Pool::on_room(PooledConnection& connection) {
  if (closing_) return;
  const Origin origin = connection.origin();
  const auto kept = connection.shared_from_this();
  serve(origin);
  const auto found = entries_.find(origin);
  if (found == entries_.end()) return;
  const auto& connections = found->second.connections;
  const auto idle = std::count_if(connections.begin(), connections.end(),
                                  [](const auto& one) { return one->is_idle(); });
  if (static_cast<size_t>(idle) > options_.idle_per_origin && connection.is_idle())
    connection.retire();
}

void Pool::on_gone(PooledConnection& connection) {
  if (closing_) return;
  const Origin origin = connection.origin();
  auto& connections = entries_.at(origin).connections;
  const auto it = std::find_if(connections.begin(), connections.end(),
                               [&](const auto& one) { return one.get() == &connection; });
  if (it == connections.end()) return;
  drop_later(std::move(*it));
  connections.erase(it);
  // Posted: its calls are notified first, and their follow-up requests come first.
  loop_.post([this, alive = std::weak_ptr<bool>(alive_), origin] {
    if (!alive.expired()) serve(origin);
  });
}

void Pool::upgrade(ClientRequest request, Duration timeout, UpgradeDone done,
                   UpgradeRefused refused) {
  make_room();
  auto key = std::make_shared<std::weak_ptr<UpgradeAttempt>>();
  auto attempt = std::make_shared<UpgradeAttempt>(
      loop_, std::move(request), options_.connection.http1,
      [this, key] { upgrades_.erase(key->lock()); }, std::move(done), std::move(refused));
  *key = attempt;
  upgrades_.insert(attempt);
  attempt->start(connect_options(std::min(timeout, options_.connect_timeout)), timeout);
}

void Pool::set_tls(ClientTls tls) {
  options_.tls = std::move(tls);
  std::vector<std::shared_ptr<PooledConnection>> old;
  for (const auto& [origin, entry] : entries_) {
    if (!origin.tls) continue;
    old.insert(old.end(), entry.connections.begin(), entry.connections.end());
  }
  for (const auto& connection : old) connection->retire();
}

size_t Pool::connections() const {
  size_t count = 0;
  for (const auto& [origin, entry] : entries_) count += entry.connections.size();
  return count;
}

void Pool::drop_later(std::shared_ptr<void> dropped) {
  loop_.post([dropped = std::move(dropped)] {});
}

void Pool::forget_if_empty(const Origin& origin) {
  const auto found = entries_.find(origin);
  if (found == entries_.end()) return;
  const Entry& entry = found->second;
  if (entry.connections.empty() && entry.connectors.empty() && entry.waiting.empty())
    entries_.erase(found);
}

}  // namespace proa::http
