#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/threads/mutex.h"
#include "http/client/request.h"
#include "http/wire/http2_session.h"

namespace proa::testkit {

// One accepted connection of a ScriptedServer: plain, blocking, arbitrary bytes.
class ScriptedPeer {
 public:
  explicit ScriptedPeer(int descriptor) : descriptor_(descriptor) {}
  ~ScriptedPeer();
  ScriptedPeer(const ScriptedPeer&) = delete;
  ScriptedPeer& operator=(const ScriptedPeer&) = delete;

  // False if the client has disconnected.
  bool send(std::string_view bytes);
  // The received bytes; empty if the client has disconnected.
  std::string receive();
  // Up to and including `end`; shorter if the client disconnects.
  std::string receive_until(std::string_view end);
  // Exactly `size` bytes; fewer if the client disconnects.
  std::string receive_exactly(size_t size);
  // Waits until the client has closed; returns the bytes received until then.
  std::string receive_all();
  // Ends both directions; waiting readers get nothing.
  void shutdown();

 private:
  const int descriptor_;
  std::string received_;
};

// A server on its own port that runs a script for each connection, on a separate thread.
class ScriptedServer {
 public:
  // `number`: of the connection, from 0.
  using Script = std::function<void(ScriptedPeer& peer, int number)>;

  explicit ScriptedServer(Script script);
  ~ScriptedServer();
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  http::Origin origin() const;
  // The number of accepted connections.
  int accepted() const EXCLUDES(mutex_);

 private:
  void accept_all();

  const Script script_;
  int listener_ = -1;
  int port_ = 0;
  mutable Mutex mutex_;
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::vector<std::unique_ptr<ScriptedPeer>> peers_ GUARDED_BY(mutex_);
  std::vector<std::jthread> threads_;  // used by the accepting thread, then by the destructor
  std::jthread acceptor_;
};

// HTTP/2 on a ScriptedPeer: the test overrides the events.
class ScriptedHttp2 : public http::Http2Session::Events {
 public:
  explicit ScriptedHttp2(ScriptedPeer& peer, http::Http2Limits limits = {})
      : session(http::Http2Session::Role::kServer, limits, *this), peer_(peer) {}

  // Serves until the client disconnects, or `done` returns true.
  void run(const std::function<bool()>& done = [] { return false; });
  void flush();

  void on_body(http::StreamId stream, std::string_view bytes) override {
    session.consume(stream, bytes.size());
  }
  void on_body_end(http::StreamId, http::Headers) override {}
  void on_stream_closed(http::StreamId, uint32_t) override {}

  http::Http2Session session;

 private:
  ScriptedPeer& peer_;
};

}  // namespace proa::testkit
