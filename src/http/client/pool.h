#pragma once

#include <deque>
#include <map>
#include <memory>
#include <unordered_set>
#include <vector>

#include "http/client/connector.h"
#include "http/client/pooled_connection.h"
#include "http/client/upgrade.h"

namespace proa::http {

struct PoolOptions {
  ClientTls tls = {};
  Duration connect_timeout = std::chrono::seconds(10);
  // HTTP/1.1 needs a connection per pending call; further calls wait for one.
  size_t connections_per_origin = 256;
  size_t idle_per_origin = 32;
  // Of several pools together, so that their connections leave descriptors for others.
  std::shared_ptr<ConnectionCount> count = {};
  Dial dial = nullptr;  // for origins with a `via`
  AddressCheck check_address = nullptr;
  ConnectionOptions connection;
};

// The connections of one loop, by origin, and the calls that wait for one. Loop thread only.
class Pool final : public ConnectionOwner {
 public:
  Pool(Loop& loop, PoolOptions options);
  // Closes everything; pending calls fail.
  ~Pool() override;

  void start(std::shared_ptr<ClientCall> call);
  void upgrade(ClientRequest request, Duration timeout, UpgradeDone done, UpgradeRefused refused);
  // For new connections; existing ones accept no new calls.
  void set_tls(ClientTls tls);
  size_t connections() const;

 private:
  struct Entry {
    std::vector<std::shared_ptr<PooledConnection>> connections;
    std::vector<std::shared_ptr<Connector>> connectors;
    std::deque<std::shared_ptr<ClientCall>> waiting;
    // Until the first connection has negotiated the protocol, only one is made at a time: HTTP/2
    // needs no second one.
    bool is_known = false;
    bool is_http2 = false;
  };

  void on_room(PooledConnection& connection) override;
  void on_gone(PooledConnection& connection) override;
  void start_over(std::shared_ptr<ClientCall> call) override;

  void serve(const Origin& origin);
  PooledConnection* find_room(Entry& entry, const ClientCall& call) const;
  bool wants_connector(const Entry& entry) const;
  // Closes idle connections if there are too many.
  void make_room();
  ConnectOptions connect_options(Duration timeout) const;
  void connect(const Origin& origin, Entry& entry);
  void connected(const Origin& origin, const Connector* by, Result<std::unique_ptr<Socket>> result);
  void connect_failed(const Origin& origin, const Status& why);
  // Releases objects that may be in use further up the stack, later.
  void drop_later(std::shared_ptr<void> dropped);
  void forget_if_empty(const Origin& origin);

  Loop& loop_;
  PoolOptions options_;
  std::map<Origin, Entry> entries_;
  std::unordered_set<std::shared_ptr<UpgradeAttempt>> upgrades_;
  bool closing_ = false;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for posted tasks
};

}  // namespace proa::http
