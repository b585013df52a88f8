#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "http/budgets/output_budget.h"
#include "http/net/endpoint.h"
#include "http/net/loop.h"
#include "http/net/tls.h"

namespace proa::http {

// A connection, with TLS or without. Loop thread only. Its owner implements Events. Any event may
// destroy the socket; on_closed is the last event and comes once, unless the owner destroyed the
// socket.
class Socket final : private OutputLane::Holder {
 public:
  class Events {
   public:
    virtual ~Events() = default;
    // Connected; with TLS, after the handshake. Accepted sockets without TLS are established at
    // once.
    virtual void on_established() {}
    // Accepted connections with TLS: the peer sent a part of its handshake, or has our answer to
    // it.
    virtual void on_handshake() {}
    virtual void on_data(std::string_view bytes) = 0;
    // The peer will send nothing more.
    virtual void on_end() = 0;
    // The queue was sent to the kernel, or at least to below the low-water mark (kLowWater).
    virtual void on_drained() {}
    // The connection is closed.
    virtual void on_closed(const Status& why) = 0;
  };

  // Adopts an accepted connection; with `tls`, starts the handshake. Nothing is read before
  // set_events.
  static std::unique_ptr<Socket> adopt(Loop& loop, int descriptor, bool is_unix,
                                       std::shared_ptr<const TlsContext> tls);
  // Connects; on_established or on_closed follows.
  static std::unique_ptr<Socket> connect(Loop& loop, const Endpoint& endpoint, Events& events,
                                         std::shared_ptr<const TlsContext> tls = nullptr,
                                         std::string_view server_name = {},
                                         bool offer_http2 = true);
  // The client's side of a connection on a unix socket that is connected already (a pair). The
  // same events follow.
  static std::unique_ptr<Socket> connect_over(Loop& loop, int descriptor, Events& events,
                                              std::shared_ptr<const TlsContext> tls,
                                              std::string_view server_name, bool offer_http2);
  ~Socket() override;
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  // Changes the receiver of events (for an upgraded connection).
  void set_events(Events& events);
  // Removes the receiver: no reads and no events until set_events. Data that was already read is
  // kept for the next receiver.
  void detach();
  Loop& loop() { return loop_; }
  // Counts unsent bytes there, which drops the connection of a peer that does not read.
  void set_output(std::shared_ptr<OutputLane> output) { output_ = std::move(output); }
  // Keeps something until the connection is closed.
  void keep(std::shared_ptr<const void> kept) { kept_ = std::move(kept); }
  // Besides what it keeps already.
  void keep_also(std::shared_ptr<const void> more) {
    kept_ = std::make_shared<std::pair<std::shared_ptr<const void>, std::shared_ptr<const void>>>(
        std::move(kept_), std::move(more));
  }

  // Queues bytes; flush() sends them.
  void write(Bytes bytes);
  void flush();
  // Bytes written that the kernel has not accepted.
  size_t unsent() const { return queued_ + in_flight_; }
  // Stops reading, except for data that was already read; TCP flow control stops the peer.
  void pause();
  void resume();
  // Ends our direction once everything queued is sent.
  void shutdown();

  bool has_tls() const { return tls_ != nullptr || accepting_tls_ != nullptr; }
  bool established() const;
  // The peer has answered our part of the handshake, and waits for its turn.
  bool finishes_handshake() const { return handshake_turn_.waiting() && bytes_sent_ > 0; }
  bool ended() const { return ended_; }  // the peer sends nothing more
  // And on_end was delivered.
  bool end_delivered() const { return ended_ && !end_pending_; }
  std::string_view alpn() const;  // "h2", "http/1.1" or empty
  PeerCertificates peer_certificates() const;
  // See TlsSession. REQUIRES: has_tls().
  Result<void> verification() const { return tls_->verification(); }
  std::string peer_address() const;  // IP address without port; empty for unix sockets
  // Bytes that the kernel accepted in total; if this stops growing, the peer does not read.
  uint64_t bytes_sent() const { return bytes_sent_; }

  static constexpr size_t kLowWater = 64 * 1024;
  static constexpr size_t kRecordSize = 16 * 1024;  // the largest TLS record

 private:
  struct Handle;
  struct Write;
  Socket(Loop& loop, Handle* handle, std::unique_ptr<TlsSession> tls);

  // The connection is there: the handshake, or what was written before.
  void begin_session();
  void start_reading();
  void received(std::string_view bytes);
  void deliver(std::string_view bytes);
  void deliver_end();
  void deliver_held();
  void received_end();
  void decrypt(std::string_view bytes);
  bool is_handshaking_server() const;
  void queue_handshake(std::string_view bytes);
  void advance_handshake();
  void encrypt();
  std::vector<Bytes> next_pieces();
  void send_some();
  void send_later();
  void submit(std::vector<Bytes> pieces, size_t size);
  void sent(size_t size, int result);
  void count_unsent();
  // OutputLane::Holder
  size_t unsent_bytes() const override { return unsent(); }
  void drop_unsent() override;
  bool end_direction();  // true: a close_notify must be sent first
  void fail(const Status& why);
  void fail_later(Status why);

  Loop& loop_;
  std::shared_ptr<const void> kept_;
  std::shared_ptr<OutputLane> output_;  // null: not counted
  Handle* handle_;                      // freed by the loop once it is closed
  std::unique_ptr<TlsSession> tls_;
  // Accepted connections, until the first bytes arrive: silent ones cost no session.
  std::shared_ptr<const TlsContext> accepting_tls_;
  Events* events_ = nullptr;
  // False once this socket is destroyed: checked after calling an event.
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  // Accepted connections: continues the handshake when its turn comes.
  FairQueue::Waiter handshake_turn_;
  std::string handshake_bytes_;
  std::deque<Bytes> queue_;  // plaintext; encrypted when sent with TLS
  size_t queued_ = 0;        // bytes in queue_
  size_t in_flight_ = 0;     // bytes passed to the loop
  uint64_t bytes_sent_ = 0;
  uint64_t counted_at_ = 0;  // bytes_sent_ when progress was last noted
  bool connecting_ = false;
  bool reading_ = false;
  bool paused_ = false;
  bool ended_ = false;
  bool send_posted_ = false;  // this iteration's share is sent, and there is more
  bool shutdown_wanted_ = false;
  bool notified_ = false;  // TLS: close_notify was sent
  bool direction_ended_ = false;
  bool failed_ = false;
  // Events while there was no receiver.
  std::string held_;
  bool end_pending_ = false;
  std::optional<Status> failure_held_;
  bool delivery_posted_ = false;
};

}  // namespace proa::http
