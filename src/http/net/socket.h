#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "http/net/endpoint.h"
#include "http/net/loop.h"
#include "http/net/tls.h"

namespace proa::http {

// A connection's bytes in both directions, with TLS or without. Loop thread only.
//
// Its owner implements Events. Any event may destroy the socket; on_closed is the last event, and
// comes once, unless the owner destroyed the socket itself.
class Socket {
 public:
  class Events {
   public:
    virtual ~Events() = default;
    // The connection is there, with TLS after the handshake. Accepted sockets without TLS are there
    // at once.
    virtual void on_established() {}
    virtual void on_data(std::string_view bytes) = 0;
    // The peer will send nothing more.
    virtual void on_end() = 0;
    // What was queued has gone to the kernel, or at least below the low-water mark (kLowWater).
    virtual void on_drained() {}
    // The connection is gone; `why` says so.
    virtual void on_closed(const Status& why) = 0;
  };

  // Takes over a connection that was accepted; with `tls`, the handshake begins. Nothing is read
  // before set_events.
  static std::unique_ptr<Socket> adopt(Loop& loop, int descriptor, bool is_unix,
                                       std::shared_ptr<const TlsContext> tls);
  // Connects; on_established or on_closed follows.
  static std::unique_ptr<Socket> connect(Loop& loop, const Endpoint& endpoint, Events& events,
                                         std::shared_ptr<const TlsContext> tls = nullptr,
                                         std::string_view server_name = {},
                                         bool offer_http2 = true);
  ~Socket();
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  // Who hears of this socket from now on (an upgraded connection changes hands).
  void set_events(Events& events);
  // Lets go of the owner: nothing is read or told until set_events. What one read had brought
  // already is kept for the next owner.
  void detach();
  Loop& loop() { return loop_; }

  // Queues bytes; they go out with flush().
  void write(Bytes bytes);
  void flush();
  // Bytes written that the kernel has not taken.
  size_t unsent() const { return queued_ + in_flight_; }
  // While paused no data arrives, but for what one read had brought already; TCP holds the peer
  // back.
  void pause();
  void resume();
  // No more will be written: ends our direction once everything queued has gone out.
  void shutdown();

  bool has_tls() const { return tls_ != nullptr; }
  bool established() const;
  bool ended() const { return ended_; }  // the peer sends nothing more
  // And an owner has heard of it: no on_end comes any more.
  bool told_end() const { return ended_ && !end_held_; }
  std::string_view alpn() const;  // "h2", "http/1.1" or empty
  PeerCertificates peer_certificates() const;
  std::string peer_address() const;  // IP address without port; empty for unix sockets
  // How many bytes the kernel has taken in all; where this stands still, the peer does not read.
  uint64_t bytes_sent() const { return bytes_sent_; }

  static constexpr size_t kLowWater = 64 * 1024;

 private:
  struct Handle;
  struct Write;
  Socket(Loop& loop, Handle* handle, std::unique_ptr<TlsSession> tls);

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
  bool end_direction();  // true: there is a last notice to send first
  void fail(const Status& why);
  void fail_later(Status why);

  Loop& loop_;
  Handle* handle_;  // freed by the loop once it is closed
  std::unique_ptr<TlsSession> tls_;
  Events* events_ = nullptr;
  // False once this socket is destroyed: for those who called an event and want to go on.
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  // Accepted connections: what the handshake goes on with when its turn comes.
  FairQueue::Waiter handshake_turn_;
  std::string handshake_bytes_;
  std::deque<Bytes> queue_;  // plaintext with TLS, else what goes out as it is
  size_t queued_ = 0;        // bytes in queue_
  size_t in_flight_ = 0;     // bytes handed to the loop
  uint64_t bytes_sent_ = 0;
  bool connecting_ = false;
  bool reading_ = false;
  bool paused_ = false;
  bool ended_ = false;
  bool send_posted_ = false;  // this turn's share is sent, and there is more
  bool shutdown_wanted_ = false;
  bool notified_ = false;  // TLS: the peer was told that nothing more comes
  bool direction_ended_ = false;
  bool failed_ = false;
  // What happened while nobody was there to hear of it.
  std::string held_;
  bool end_held_ = false;
  std::optional<Status> failure_held_;
  bool delivery_posted_ = false;
};

}  // namespace proa::http
