#include "proxy/kube_proxy.h"

#include <linux/netlink.h>
#include <sys/stat.h>

#include <algorithm>

#include "base/log.h"
#include "base/strings.h"
#include "netlink/nft/listing.h"
#include "netlink/nft/transaction.h"
#include "proxy/iptables/iptables_rules.h"

namespace proa::proxy {
namespace kube_proxy {

namespace nft = netlink::nft;

const Log kLog{"proxy"};
constexpr std::string_view kProgram = "kube-proxy";
constexpr Duration kMostWait = std::chrono::seconds(30);

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool same_file(const std::string& path, const std::string& other) {
  struct stat a {};
  struct stat b {};
  return ::stat(path.c_str(), &a) == 0 && ::stat(other.c_str(), &b) == 0 && a.st_ino == b.st_ino &&
         a.st_dev == b.st_dev;
}

void report(std::string_view what, const Result<bool>& removed) {
  if (!removed) {
    kLog.error("rules of kube-proxy stay", {{"kind", what}, {"error", removed.status()}});
  } else if (*removed) {
    kLog.info("rules that kube-proxy left are removed", {{"kind", what}});
  }
}

}  // namespace kube_proxy

bool kube_proxy_runs(Files& files) {
  const Result<std::vector<std::string>> processes = files.list("/proc");
  if (!processes) return false;
  return std::any_of(processes->begin(), processes->end(), [&files](const std::string& process) {
    if (!kube_proxy::is_number(process)) return false;
    const std::string folder = "/proc/" + process;
    const Result<std::string> name = files.read_file(folder + "/comm", 64);
    return name.ok() && trim(*name) == kube_proxy::kProgram &&
           kube_proxy::same_file(folder + "/ns/net", "/proc/thread-self/ns/net");
  });
}

Result<bool> remove_kube_proxy_tables(Clock& clock) {
  namespace nft = netlink::nft;
  netlink::Socket socket = TRY(netlink::Socket::open(NETLINK_NETFILTER, clock));
  const auto until = [&clock] { return Until::after(clock, kube_proxy::kMostWait); };
  nft::Transaction transaction;
  for (const nft::Family family : {nft::Family::kIp, nft::Family::kIp6}) {
    const nft::TableName table{family, std::string(kube_proxy::kProgram)};
    if (TRY(nft::list_table(socket, table, until()))) transaction.remove_table(table);
  }
  if (transaction.empty()) return false;
  TRY(std::move(transaction).commit(socket, until()));
  return true;
}

bool KubeProxyTakeover::run(bool holds_ports) {
  const bool runs = kube_proxy_runs(files_);
  if (runs || !holds_ports) {
    if (!waits_) {
      kube_proxy::kLog.info("rules of kube-proxy are not removed yet",
                            {{"reason", runs ? "it runs" : "a port is in use"}});
    }
    waits_ = true;
    return false;
  }
  kube_proxy::report("nftables", remove_kube_proxy_tables(clock_));
  if (mode_ != Mode::kIptables) kube_proxy::report("iptables", iptables::remove_chains(clock_));
  return true;
}

}  // namespace proa::proxy
