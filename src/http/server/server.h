#pragma once

#include <array>
#include <atomic>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "http/budgets/body_budget.h"
#include "http/budgets/connection_count.h"
#include "http/budgets/head_budget.h"
#include "http/budgets/output_budget.h"
#include "http/net/loop.h"
#include "http/net/tls.h"
#include "http/server/connection.h"
#include "http/server/exchange.h"
#include "http/server/limits.h"
#include "http/server/listener.h"

namespace proa::http {

// An HTTP server: listens, spreads connections over the loops, drains them. Thread-safe, but not on
// a loop's thread.
class Server {
 public:
  // REQUIRES: loops and handler outlive the server.
  Server(LoopGroup& loops, Handler& handler, ServerLimits limits = {});
  // Closes everything immediately; call drain() before for a graceful end.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Listens at `where`, with TLS if `tls` is given (it must outlive the server). Returns the actual
  // address, with the port that the system chose.
  Result<Endpoint> listen(const Endpoint& where, const TlsSource* tls = nullptr);
  // The same for a handler of its own. Its connections count with all others of the server, and
  // make room for them. REQUIRES: `handler` lives until stop(handler), or outlives the server.
  Result<Endpoint> listen_for(Handler& handler, const Endpoint& where,
                              const TlsSource* tls = nullptr);
  // Listens no more for a handler of listen_for(), and closes its connections immediately. After
  // that it is not called.
  void stop(const Handler& handler);
  size_t connections() const { return count_->served(); }
  // Held for bodies of requests.
  size_t body_bytes() const { return bodies_->used(); }
  // Held for heads of open requests.
  size_t head_bytes() const { return heads_->used(); }

  // Accepts no new connections or requests, and lets pending ones finish within the limit's time.
  void drain();

 private:
  // The connections of one loop; used on its thread only.
  struct Lane {
    std::list<Connection*>& used_as(ConnectionUse use) { return lists[static_cast<size_t>(use)]; }
    void add(const std::shared_ptr<Connection>& connection);
    void move(Connection& connection, ConnectionUse from, ConnectionUse to);
    void remove(Connection& connection);

    Loop* loop;
    std::shared_ptr<OutputLane> output;
    std::shared_ptr<OutputLane> unread_heads;
    std::unordered_map<Connection*, std::shared_ptr<Connection>> connections = {};
    // By use; those in it for longest come first.
    std::array<std::list<Connection*>, kConnectionUses> lists = {};
  };

  // Who answers at a listener. It may stop while connections are on their way to their loop.
  struct Service {
    Service(Handler& for_it, const TlsSource* with) : handler(for_it), tls(with) {}
    Handler& handler;
    const TlsSource* tls;
    std::atomic<bool> stopped{false};
  };
  struct Listening {
    std::shared_ptr<Service> service;
    std::unique_ptr<Listener> listener;
  };

  // An accepted connection that is not served yet.
  struct Accepted {
    int descriptor;
    std::string address;
    bool is_unix;
    std::shared_ptr<Service> service;
    ConnectionCount::Arrival arrival;

    bool is_late() const { return service->stopped.load(); }
  };

  void accepted(int descriptor, const std::string& address, bool is_unix,
                const std::shared_ptr<Service>& service);
  // Adopts a connection once another one was closed for it; `tried`: lanes without one.
  void adopt_when_room(const Accepted& accepted, size_t lane, size_t tried);
  // Closes a connection that is not in use, or stalled: of `address`, or of any if that is empty.
  bool make_room(Lane& lane, const std::string& address);
  using Condition = bool (Connection::*)() const;
  struct Choice {
    Connection* connection = nullptr;  // null: there is none
    size_t of_address = 0;             // how many connections its address has
  };
  Choice choose(const std::list<Connection*>& among, const std::string& address,
                Condition may_close) const;
  // False if there is none.
  static bool close(const Choice& chosen);
  bool close_new_one(Lane& lane, const std::string& address);
  void adopt(Lane& lane, const Accepted& accepted);
  void stop_listening();
  void for_each_lane(const std::function<void(Lane&)>& task);

  LoopGroup& loops_;
  Handler& handler_;
  const std::shared_ptr<const ServerLimits> limits_;
  const std::shared_ptr<ConnectionCount> count_;
  const std::shared_ptr<BodyBudget> bodies_;
  const std::shared_ptr<HeadBudget> heads_;
  const std::shared_ptr<OutputBudget> output_;
  const std::shared_ptr<OutputBudget> unread_heads_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::atomic<size_t> turn_{0};
  std::atomic<bool> draining_{false};
  std::vector<Listening> listeners_;
};

}  // namespace proa::http
