#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace proa {

// What a resolv.conf says, as the kubelet reads it (parseResolvConf).
struct ResolvConf {
  std::vector<std::string> servers = {};   // as written; all lines add up
  std::vector<std::string> searches = {};  // of the last line, without a dot at the end
  std::vector<std::string> options = {};   // the last of a name counts, in the place of the first
  bool empty_server = false;               // a line "nameserver" without an address
};

ResolvConf read_resolv_conf(std::string_view text);

// Sets an option ("ndots:5") in a list of them: the name counts once.
void set_resolver_option(std::vector<std::string>& options, std::string option);

// Where systemd-resolved lists the servers that its stub at 127.0.0.53 asks.
inline constexpr std::string_view kSystemdResolvConf = "/run/systemd/resolve/resolv.conf";

// Whether all servers have loopback addresses. A pod would ask itself there.
bool names_loopback_only(const ResolvConf& conf);

// The text to use of a machine with these files: `systemd_file`, the content of kSystemdResolvConf,
// if `file` names only a stub on loopback and the other one names real servers. Search paths and
// options are the same in both.
std::string_view without_loopback_stub(std::string_view file, std::string_view systemd_file);

}  // namespace proa
