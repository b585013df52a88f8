#pragma once

#include <atomic>
#include <thread>
#include <vector>

namespace proa::testkit {

// Forwards connections to a port of this machine, and loses what a test says.
class LossyProxy {
 public:
  explicit LossyProxy(int target);
  ~LossyProxy();
  LossyProxy(const LossyProxy&) = delete;
  LossyProxy& operator=(const LossyProxy&) = delete;

  int port() const { return port_; }
  // What the server sends is thrown away; to pass on again needs new connections.
  void lose_answers(bool on) { loses_answers_ = on; }
  // Ends all connections.
  void cut();
  // Accepts no connections.
  void refuse(bool on) { refuses_ = on; }
  // Bytes that clients sent.
  size_t requested() const { return requested_.load(); }

 private:
  struct Pair {
    int client = -1;
    int server = -1;
  };

  void run();
  void accept_one();
  // False if it is over.
  bool forward(int from, int to, bool is_answer);
  void close_all();
  void wake();

  const int target_;
  int port_ = 0;
  int listener_ = -1;
  int wake_[2] = {-1, -1};
  std::atomic<bool> loses_answers_ = false;
  std::atomic<bool> refuses_ = false;
  std::atomic<bool> cuts_ = false;
  std::atomic<bool> ends_ = false;
  std::atomic<size_t> requested_ = 0;
  std::vector<Pair> pairs_;  // of the thread
  std::thread thread_;
};

}  // namespace proa::testkit
