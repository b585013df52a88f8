#include "network/announce/announcer.h"

#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>

#include <atomic>

#include "json/parse.h"
#include "testkit/apiserver/test_clients.h"
#include "testkit/netlink/namespace_test_base.h"
#include "testkit/network/machines.h"
#include "testkit/patience.h"

namespace proa::network {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testkit::holds_within;
using testkit::Machines;

// The way of one node to the API, which can be cut.
class CutWatch final : public client::Watch {
 public:
  CutWatch(std::unique_ptr<client::Watch> watch, const std::atomic<bool>& cut)
      : watch_(std::move(watch)), cut_(cut) {}
  Result<std::vector<client::Event>> next(const Until& until) override {
    if (cut_) return Status(Reason::kServiceUnavailable, "cut");
    return watch_->next(until);
  }
  bool on_ready(std::function<void()> wake) override { return watch_->on_ready(std::move(wake)); }

 private:
  std::unique_ptr<client::Watch> watch_;
  const std::atomic<bool>& cut_;
};

class CutClient final : public client::Client {
 public:
  explicit CutClient(client::Client& client) : client_(client) {}
  std::atomic<bool> cut = false;

  Result<api::ObjectPtr> get(const client::Place& place, const Until& until) override {
    if (cut) return away();
    return client_.get(place, until);
  }
  Result<client::ObjectList> list(const client::Place& place, const client::ListQuery& query,
                                  const Until& until) override {
    if (cut) return away();
    return client_.list(place, query, until);
  }
  Result<std::unique_ptr<client::Watch>> watch(const client::Place& place,
                                               const client::WatchQuery& query,
                                               const Until& until) override {
    if (cut) return away();
    std::unique_ptr<client::Watch> watch = TRY(client_.watch(place, query, until));
    return std::unique_ptr<client::Watch>(std::make_unique<CutWatch>(std::move(watch), cut));
  }
  Result<api::ObjectPtr> create(const client::Place& place, json::Document object,
                                const client::WriteChoices& choices, const Until& until) override {
    if (cut) return away();
    return client_.create(place, std::move(object), choices, until);
  }
  Result<api::ObjectPtr> update(const client::Place& place, json::Document object,
                                const client::WriteChoices& choices, const Until& until) override {
    if (cut) return away();
    return client_.update(place, std::move(object), choices, until);
  }
  Result<api::ObjectPtr> patch(const client::Place& place, api::PatchType type,
                               json::Document patch, const client::WriteChoices& choices,
                               const Until& until) override {
    if (cut) return away();
    return client_.patch(place, type, std::move(patch), choices, until);
  }
  Result<void> remove(const client::Place& place, const client::RemoveChoices& choices,
                      const Until& until) override {
    if (cut) return away();
    return client_.remove(place, choices, until);
  }
  Result<void> remove_collection(const client::Place& place, const client::ListQuery& query,
                                 const client::RemoveChoices& choices,
                                 const Until& until) override {
    if (cut) return away();
    return client_.remove_collection(place, query, choices, until);
  }

 private:
  static Status away() { return {Reason::kServiceUnavailable, "cut"}; }
  client::Client& client_;
};

constexpr const char* kVip = "10.0.0.100";
constexpr const char* kVip6 = "fd00::100";

// Two nodes and, as the third machine, a client, beside one API server. The nodes have the address
// on their loopback, so that datagrams have an end; the kernel does not answer for it.
class AnnouncerTest : public testkit::NamespaceTest {
 protected:
  struct Node {
    std::unique_ptr<CutClient> client;
    std::unique_ptr<Announcer> announcer;
  };

  void SetUp() override {
    NamespaceTest::SetUp();
    if (IsSkipped()) return;
    machines_ = std::make_unique<Machines>(3, false, clock_);
    for (size_t number : {1, 2}) {
      inside(*machines_->at(number).place, [&] {
        shell(
            fmt::format("echo 1 > /proc/sys/net/ipv4/conf/all/arp_ignore;"
                        " ip address add {}/32 dev lo; ip address add {}/128 dev lo",
                        kVip, kVip6));
      });
      create("", "nodes", "",
             fmt::format(R"({{"metadata":{{"name":"n{}"}},"status":{{"conditions":[)"
                         R"({{"type":"Ready","status":"True"}}],"addresses":[)"
                         R"({{"type":"InternalIP","address":"{}"}},)"
                         R"({{"type":"InternalIP","address":"{}"}}]}}}})",
                         number, machines_->at(number).address, machines_->at(number).address6));
    }
    for (const char* name : {"default", "kube-system"}) {
      create("", "namespaces", "", fmt::format(R"({{"metadata":{{"name":"{}"}}}})", name));
    }
  }
  void TearDown() override { nodes_.clear(); }

  static client::Place place(std::string_view group, std::string_view resource,
                             std::string name_space, std::string name,
                             std::string subresource = {}) {
    return {.resource = apiserver::find_resource(group, resource),
            .name_space = std::move(name_space),
            .name = std::move(name),
            .subresource = std::move(subresource)};
  }
  void create(std::string_view group, std::string_view resource, const std::string& name_space,
              const std::string& text) {
    const auto made = api_.client().create(place(group, resource, name_space, ""),
                                           json::parse_literal(text), {}, soon());
    EXPECT_TRUE(made.ok() || made.is(Reason::kAlreadyExists)) << made.status().message();
  }
  void add_service(const std::string& spec = "") {
    create("", "services", "default",
           R"({"metadata":{"name":"web","labels":{"proa.dev/announced":"true"}},"spec":{)"
           R"("type":"LoadBalancer","ports":[{"port":80}])" +
               spec + "}}");
    const auto patched = api_.client().patch(
        place("", "services", "default", "web", "status"), api::PatchType::kMerge,
        json::parse_literal(fmt::format(
            R"({{"status":{{"loadBalancer":{{"ingress":[{{"ip":"{}"}},{{"ip":"{}"}}]}}}}}})", kVip,
            kVip6)),
        {}, soon());
    ASSERT_TRUE(patched.ok()) << patched.status().message();
  }
  void start(size_t number) {
    Node& node = nodes_[number];
    node.client = std::make_unique<CutClient>(api_.client());
    node.announcer = std::make_unique<Announcer>(
        Announcer::Context{.client = *node.client,
                           .schema = api::builtin_schema(),
                           .clock = clock_,
                           .random = random_,
                           .node = api::NodeName(fmt::format("n{}", number))});
    inside(*machines_->at(number).place, [&] { node.announcer->start(); });
  }
  size_t leases() {
    return api_.client()
        .list(place("coordination.k8s.io", "leases", "kube-system", ""), {}, soon())
        .value()
        .items.size();
  }
  // As if by a signal: nothing is told to anybody.
  void kill(size_t number) {
    nodes_.at(number).client->cut = true;
    nodes_.erase(number);
  }

  // The machine that the client's neighbour table has for an address; 0: none.
  size_t announcer_of(const std::string& address) {
    std::string text;
    inside(*machines_->at(3).place, [&] { text = shell("ip neighbour show " + address); });
    for (size_t number : {1, 2}) {
      std::string mac;
      inside(*machines_->at(number).place, [&] {
        netlink::Routing routing = netlink::Routing::open(clock_).value();
        const auto addresses = routing.addresses();
        const auto links = routing.links();
        for (const netlink::LinkAddress& one : *addresses) {
          if (one.address.str() != machines_->at(number).address) continue;
          for (const netlink::Link& link : *links) {
            if (link.index == one.link) mac = netlink::mac_text(link.mac);
          }
        }
      });
      if (text.find(mac) != std::string::npos) return number;
    }
    return 0;
  }
  bool reaches(size_t number, const std::string& address) {
    return !seen_source(*machines_->at(3).place, *machines_->at(number).place, address).empty();
  }
  // Sends something, so that the client asks who has the address.
  size_t ask(const std::string& address) {
    inside(*machines_->at(3).place, [&] {
      addrinfo hints{};
      hints.ai_flags = AI_NUMERICHOST;
      hints.ai_socktype = SOCK_DGRAM;
      addrinfo* found = nullptr;
      ASSERT_EQ(::getaddrinfo(address.c_str(), "9", &hints, &found), 0);
      const FileDescriptor sender(::socket(found->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
      static_cast<void>(::sendto(sender.get(), "x", 1, 0, found->ai_addr, found->ai_addrlen));
      ::freeaddrinfo(found);
    });
    return announcer_of(address);
  }
  // The machine that answers the client first when it knows nothing; 0: none does.
  size_t answer(const std::string& address) {
    inside(*machines_->at(3).place, [&] { shell("ip neighbour flush all"); });
    size_t found = 0;
    holds_within(seconds(5), [&] { return (found = ask(address)) != 0; });
    return found;
  }
  // The machine that announces an address while both live.
  static size_t first_choice(const std::string& address) {
    const std::vector<std::string> nodes = {"n1", "n2"};
    return rank_nodes(parse_ip(address).value(), nodes).front() == "n1" ? 1 : 2;
  }
  bool is_announced_by(size_t number, const std::string& address) {
    return holds_within(seconds(20), [&] { return ask(address) == number; });
  }

  SystemRandom random_;
  apiserver::RemoteTestClient api_;
  std::unique_ptr<Machines> machines_;
  std::map<size_t, Node> nodes_;
};

TEST_F(AnnouncerTest, AnAddressMovesWithinTwoSecondsWhenItsNodeDies) {
  add_service();
  start(1);
  start(2);
  for (const char* address : {kVip, kVip6}) {
    SCOPED_TRACE(address);
    const size_t before = first_choice(address);
    const size_t after = 3 - before;
    ASSERT_TRUE(is_announced_by(before, address));
    ASSERT_TRUE(holds_within(seconds(10), [&] { return leases() == 2; }));
    EXPECT_TRUE(reaches(before, address));
    const Steady begin = clock_.steady();
    kill(before);
    // The neighbours are told, and need not ask.
    ASSERT_TRUE(holds_within(seconds(10), [&] { return announcer_of(address) == after; }));
    EXPECT_LT(clock_.steady() - begin, testkit::patient(seconds(2)));
    EXPECT_TRUE(reaches(after, address));
    start(before);
    ASSERT_TRUE(holds_within(seconds(10), [&] { return announcer_of(address) == before; }));
  }
}

TEST_F(AnnouncerTest, ANodeThatStopsHandsOver) {
  add_service();
  start(1);
  start(2);
  const size_t before = first_choice(kVip);
  ASSERT_TRUE(is_announced_by(before, kVip));
  ASSERT_TRUE(holds_within(seconds(10), [&] { return leases() == 2; }));
  const Steady begin = clock_.steady();
  nodes_.erase(before);
  EXPECT_TRUE(holds_within(seconds(10), [&] { return announcer_of(kVip) == 3 - before; }));
  EXPECT_LT(clock_.steady() - begin, testkit::patient(seconds(1)));
}

TEST_F(AnnouncerTest, WithoutTheApiItGoesOn) {
  add_service();
  start(1);
  ASSERT_TRUE(is_announced_by(1, kVip));
  nodes_[1].client->cut = true;
  const Steady end = clock_.steady() + 2 * kPeerExpiry;
  EXPECT_TRUE(holds_within(seconds(20), [&] {
    EXPECT_EQ(answer(kVip), 1U);
    return clock_.steady() >= end;
  }));
  // A node that has the API takes over, and the one without lets it.
  start(2);
  ASSERT_TRUE(is_announced_by(2, kVip));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(answer(kVip), 2U);
}

TEST_F(AnnouncerTest, WithPolicyLocalTheNodeOfAnEndpointAnnounces) {
  add_service(R"(,"externalTrafficPolicy":"Local")");
  const auto set_endpoint = [&](std::string_view node) {
    static_cast<void>(api_.client().remove(
        place("discovery.k8s.io", "endpointslices", "default", "web-1"), {}, soon()));
    create("discovery.k8s.io", "endpointslices", "default",
           fmt::format(R"({{"metadata":{{"name":"web-1","labels":{{"proa.dev/announced":"true",)"
                       R"("kubernetes.io/service-name":"web"}}}},"addressType":"IPv4",)"
                       R"("endpoints":[{{"addresses":["10.244.0.9"],"nodeName":"{}",)"
                       R"("conditions":{{"ready":true}}}}],"ports":[]}})",
                       node));
  };
  start(1);
  start(2);
  for (size_t number : {2, 1, 2}) {
    set_endpoint(fmt::format("n{}", number));
    EXPECT_TRUE(is_announced_by(number, kVip)) << number;
  }
}

TEST_F(AnnouncerTest, LeasesAreRenewedOnlyWhileThereAreAddresses) {
  start(1);
  EXPECT_EQ(leases(), 0U);
  add_service();
  EXPECT_TRUE(holds_within(seconds(10), [&] { return leases() == 1; }));
  ASSERT_TRUE(is_announced_by(1, kVip));
  ASSERT_TRUE(api_.client().remove(place("", "services", "default", "web"), {}, soon()).ok());
  EXPECT_TRUE(holds_within(seconds(10), [&] { return leases() == 0; }));
}

}  // namespace
}  // namespace proa::network
