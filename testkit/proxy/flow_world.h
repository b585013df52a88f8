#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/files.h"
#include "proxy/model/node_facts.h"
#include "proxy/model/service_port.h"

namespace proa::testkit {

// A node with two pods and a client outside of the cluster, each a network namespace, and links
// between the node and the others. Both pods answer at port 8080 of TCP and UDP with their name and
// the address that they see: "pod1 192.0.2.2".
//
//   client 192.0.2.2 -- 192.0.2.1 node 10.1.0.254 -- 10.1.0.1 pod1
//                                      10.1.1.254 -- 10.1.1.2 pod2
//
// The same in IPv6 with 2001:db8::2, 2001:db8::1, fd01::fe, fd01::1, fd01:0:0:1::fe, fd01:0:0:1::2.
// pod2 counts as one of another node.
class FlowWorld {
 public:
  enum class Place : uint8_t { kNode, kClient, kPod1, kPod2 };

  // Null, and the reason, if this process may not make network namespaces.
  static std::unique_ptr<FlowWorld> make(std::string& reason);
  ~FlowWorld();
  FlowWorld(const FlowWorld&) = delete;
  FlowWorld& operator=(const FlowWorld&) = delete;

  // Runs on a thread in that namespace.
  void inside(Place place, const std::function<void()>& work) const;
  // How long a request waits for its answer.
  std::chrono::milliseconds patience{330};

  // The answer that a client there gets; "refused", "silent" if there is none. `from_port`: zero
  // for any.
  std::string ask(Place from, std::string_view address, uint16_t port,
                  proxy::Protocol protocol = proxy::Protocol::kTcp, uint16_t from_port = 0) const;
  // The answers of that many requests, each once, in the order of the alphabet: "pod1 ..., pod2
  // ...".
  std::string ask_often(Place from, std::string_view address, uint16_t port, int times = 20) const;

  proxy::NodeFacts node() const;
  Clock& clock() { return clock_; }

 private:
  FlowWorld() = default;
  bool build(std::string& reason);
  void run(const std::string& words) const;
  bool listen(Place pod, std::string_view address);
  void serve(const std::stop_token& stop);

  struct Listener {
    FileDescriptor socket;
    std::string name;
    bool udp;
  };
  SystemClock clock_;
  std::vector<FileDescriptor> namespaces_;  // by Place
  std::vector<Listener> listeners_;
  std::jthread server_;
};

}  // namespace proa::testkit
