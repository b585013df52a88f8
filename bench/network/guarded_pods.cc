#include "network/guarded_pods.h"

#include <linux/netlink.h>

#include <algorithm>
#include <vector>

#include "load/closed_loop.h"
#include "netlink/nft/transaction.h"
#include "network/guard/guard_table.h"
#include "network/packets.h"
#include "policy/apply/bridged_packets.h"
#include "testkit/policy/pod_network.h"

namespace proa::network_bench {
namespace guarded_pods {

constexpr int kPort = 5001;
constexpr double kSeconds = 0.5;
constexpr size_t kConnections = 2000;
constexpr Duration kPatience = std::chrono::seconds(10);

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

class World {
 public:
  World() : network_(2, 0, clock_), sink_(network_.place(1), kPort) {
    run([&] { return policy::filter_bridged_packets(clock_); });
  }

  void guard(bool on) {
    run([&]() -> Result<void> {
      netlink::nft::Transaction transaction;
      if (on) {
        transaction.replace_table(network::guard_table({}, {"pod0", "pod1"}, {pod(0), pod(1)}));
      } else {
        transaction.remove_table(network::guard_table_name({}));
      }
      netlink::Socket socket = TRY(netlink::Socket::open(NETLINK_NETFILTER, clock_));
      return std::move(transaction).commit(socket, Until::after(clock_, kPatience));
    });
  }
  double bytes_a_second() const {
    return throughput(network_.place(0), network_.address(1), kPort, kSeconds);
  }
  double micros_to_connect() const {
    return median(connect_micros(network_.place(0), {network_.address(1)}, kPort, kConnections));
  }

 private:
  void run(const std::function<Result<void>()>& work) const {
    const Result<void> done = network_.node().run(work);
    if (!done.ok()) load::fail(done.status().message());
  }
  network::PodPort pod(size_t number) {
    network::PodPort port{.link = "pod" + std::to_string(number),
                          .addresses = {*parse_ip(network_.address(number)),
                                        *parse_ip(network_.address(number, true))}};
    const Result<void> read = network_.place(number).run([&]() -> Result<void> {
      netlink::Routing routing = TRY(netlink::Routing::open(clock_));
      port.mac = TRY(routing.link("eth0")).mac;
      return {};
    });
    if (!read.ok()) load::fail(read.status().message());
    return port;
  }

  SystemClock clock_;
  testkit::PodNetwork network_;
  Sink sink_;
};

}  // namespace guarded_pods

GuardCost measure_guard(int rounds) {
  guarded_pods::World world;
  std::vector<double> throughputs;
  std::vector<double> connecting;
  for (int i = 0; i < rounds; ++i) {
    world.guard(true);
    const double bytes = world.bytes_a_second();
    const double micros = world.micros_to_connect();
    world.guard(false);
    throughputs.push_back(bytes / world.bytes_a_second());
    connecting.push_back(micros / world.micros_to_connect());
  }
  return {guarded_pods::median(throughputs), guarded_pods::median(connecting)};
}

}  // namespace proa::network_bench
