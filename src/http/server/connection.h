#pragma once

#include <list>
#include <memory>
#include <optional>
#include <string>

#include "http/budgets/connection_count.h"
#include "http/net/socket.h"
#include "http/server/exchange.h"
#include "http/server/limits.h"

namespace proa::http {

class Connection;

// HTTP/1 or HTTP/2 on one connection. Loop thread only; owned by the Connection.
class Protocol {
 public:
  virtual ~Protocol() = default;
  virtual void start() = 0;
  virtual void on_data(std::string_view bytes) = 0;
  virtual void on_end() = 0;
  virtual void on_drained() = 0;
  // Finishes pending requests, accepts no new ones, then closes.
  virtual void drain() = 0;
  // The connection is closed: notifies the exchanges.
  virtual void closed() = 0;
  // Response bytes queued outside of the socket, and how many were sent so far.
  virtual size_t unsent() const = 0;
  virtual uint64_t progress() const = 0;
  // The time of expect_within() has passed: closes the connection, or sets another time.
  virtual void overdue() = 0;
  // Tells the peer that the connection is closed, which it is then.
  virtual void say_goodbye() = 0;
};

// Whether a connection may be closed when there are too many.
enum class ConnectionUse : uint8_t {
  kSilent,    // not a byte came yet
  kGreeting,  // a handshake is in progress or done, but no request came yet
  kBusy,      // a request is in progress
  kIdle,
};
constexpr size_t kConnectionUses = 4;

// What connections need from their server. It outlives them.
struct ConnectionContext {
  Handler& handler;
  std::shared_ptr<const ServerLimits> limits;
  std::shared_ptr<BodyBudget> bodies;
  std::shared_ptr<HeadBudget> heads;
  std::shared_ptr<OutputLane> output;
  std::shared_ptr<OutputLane> unread_heads;
  std::shared_ptr<ConnectionCount::Place> place;
  // The connection's use has changed, or begins again.
  std::function<void(Connection&, ConnectionUse from, ConnectionUse to)> used;
  // Removes the connection from the server's list. It is destroyed later, from the loop.
  std::function<void(Connection&)> closed;
};

// An accepted connection: handshake, protocol selection, deadlines. Loop thread only.
class Connection final : public Socket::Events, public std::enable_shared_from_this<Connection> {
 public:
  Connection(std::unique_ptr<Socket> socket, std::string address, ConnectionContext context);
  ~Connection() override;

  void start();
  void drain();
  void close();
  // Whether it may be closed for another one: it is not in use, and its peer is not about to
  // finish its handshake.
  bool may_yield() const;
  // Before the first request: when it was accepted, or its handshake advanced.
  Steady last_progress() const { return last_progress_; }
  // Whether its peer has been behind with reading for so long that others come first.
  bool is_stalled() const;
  // REQUIRES: may_yield() or is_stalled().
  void yield_place();
  ConnectionUse use() const { return use_; }
  // In the server's list of connections with that use.
  std::list<Connection*>::iterator place;

  // For the protocol.
  Socket& socket() { return *socket_; }
  bool is_open() const { return socket_ != nullptr; }
  Loop& loop() { return loop_; }
  Handler& handler() { return context_.handler; }
  const ServerLimits& limits() const { return *context_.limits; }
  // Null: there is no room for its head.
  ExchangePtr make_exchange(RequestHead head);
  const std::shared_ptr<const Peer>& peer() const { return peer_; }
  const std::string& address() const { return address_; }
  const std::shared_ptr<OutputLane>& output() const { return context_.output; }
  // Of the heads of requests whose whole response waits for its reader.
  const std::shared_ptr<OutputLane>& unread_heads() const { return context_.unread_heads; }
  // Cheap if nothing changes.
  void set_use(ConnectionUse use);
  // Sets the deadline after which the connection is closed; nullopt: none. A connection that is
  // being closed gracefully keeps its own.
  void expect_within(std::optional<Duration> time);
  // Data was passed to the socket: checks that the peer reads it.
  void watch_writing();
  // Graceful close: ends our direction, discards incoming data for a moment, closes.
  void close_gracefully();
  // Passes the socket on; the connection closes without it.
  std::unique_ptr<Socket> release_socket();

 private:
  void on_established() override;
  void on_handshake() override { greeted(); }
  void on_data(std::string_view bytes) override;
  void on_end() override;
  void on_drained() override;
  void on_closed(const Status& why) override;
  void choose_protocol(bool http2);
  // The handshake advanced: those that advanced last yield last.
  void greeted();
  void set_deadline(std::optional<Duration> time);
  void check_deadline();
  void check_writing();
  void linger();
  void discard(size_t bytes);

  Loop& loop_;
  std::unique_ptr<Socket> socket_;
  const std::string address_;
  ConnectionContext context_;
  const std::shared_ptr<const ExchangeContext> for_exchanges_;
  const std::shared_ptr<HeadBudget::Account> heads_;
  ConnectionUse use_ = ConnectionUse::kSilent;
  Steady last_progress_;
  std::shared_ptr<const Peer> peer_;
  std::unique_ptr<Protocol> protocol_;
  std::string first_bytes_;  // without TLS: kept until they show the protocol
  Timer deadline_;
  Timer writing_;
  bool writing_watched_ = false;
  std::optional<uint64_t> progress_seen_;  // bytes sent when watching began
  std::optional<uint64_t> sent_seen_;
  std::optional<Steady> behind_since_;  // when the peer last had read everything
  bool draining_ = false;
  bool lingering_ = false;
  size_t discarded_ = 0;  // bytes, while lingering
  bool peer_ended_ = false;
};

std::unique_ptr<Protocol> make_http1(Connection& connection);
std::unique_ptr<Protocol> make_http2(Connection& connection);

}  // namespace proa::http
