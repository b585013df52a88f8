#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/files.h"
#include "base/threads/mutex.h"
#include "base/time.h"

namespace proa::testkit {

// A DNS server on 127.0.0.1 that does what a test says, by UDP and TCP on one port. One thread.
class FakeUpstream {
 public:
  struct Sending {
    std::string bytes;
    Duration after{0};
    bool from_elsewhere = false;  // another port, as somebody who guesses has
  };
  // What is sent for a query. From the server's thread.
  using Handler = std::function<std::vector<Sending>(const std::string& query, bool tcp)>;

  explicit FakeUpstream(Handler handler);
  ~FakeUpstream();
  FakeUpstream(const FakeUpstream&) = delete;
  FakeUpstream& operator=(const FakeUpstream&) = delete;

  uint16_t port() const { return port_; }
  size_t by_udp() const EXCLUDES(mutex_);
  size_t by_tcp() const EXCLUDES(mutex_);
  // Of UDP: how many ports queries came from.
  size_t source_ports() const EXCLUDES(mutex_);
  void handle_by(Handler handler) EXCLUDES(mutex_);

 private:
  struct Due {
    std::string bytes;
    uint16_t to_port;
    bool from_elsewhere;
  };

  void run(const std::stop_token& stop) EXCLUDES(mutex_);
  void receive() EXCLUDES(mutex_);
  void serve_connection() EXCLUDES(mutex_);
  void send(const Due& due) const;
  std::vector<Sending> answers(const std::string& query, bool tcp) EXCLUDES(mutex_);

  FileDescriptor udp_;
  FileDescriptor tcp_;
  FileDescriptor elsewhere_;
  FileDescriptor wake_;
  uint16_t port_ = 0;
  std::multimap<Steady, Due> due_;  // of the thread
  mutable Mutex mutex_;
  Handler handler_ GUARDED_BY(mutex_);
  size_t by_udp_ GUARDED_BY(mutex_) = 0;
  size_t by_tcp_ GUARDED_BY(mutex_) = 0;
  std::set<uint16_t> ports_ GUARDED_BY(mutex_);
  std::jthread thread_;
};

}  // namespace proa::testkit
