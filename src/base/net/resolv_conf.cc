#include "base/net/resolv_conf.h"

#include <algorithm>

#include "base/net/ip_address.h"
#include "base/strings.h"
#include "base/text/words.h"

namespace proa {
namespace resolv_conf {

std::string_view option_name(std::string_view option) { return option.substr(0, option.find(':')); }

bool is_loopback(std::string_view server) {
  const auto address = parse_ip(server.substr(0, server.find('%')));
  if (!address) return false;
  if (address->is_v4()) return address->bytes[12] == 127;
  return *address == *parse_ip("::1");
}

void read_line(const std::vector<std::string_view>& line, ResolvConf& conf) {
  const std::string_view word = line.front();
  if (word == "nameserver") {
    if (line.size() < 2) {
      conf.empty_server = true;
    } else {
      conf.servers.emplace_back(line[1]);
    }
  } else if (word == "search") {
    conf.searches.clear();
    for (size_t i = 1; i < line.size(); ++i) {
      std::string_view path = line[i];
      if (path == ".") continue;
      // The same domain with and without a dot at its end counts once.
      if (path.ends_with('.')) path.remove_suffix(1);
      conf.searches.emplace_back(path);
    }
  } else if (word == "options") {
    for (size_t i = 1; i < line.size(); ++i) {
      set_resolver_option(conf.options, std::string(line[i]));
    }
  }
}

}  // namespace resolv_conf

ResolvConf read_resolv_conf(std::string_view text) {
  ResolvConf conf;
  for (const std::string_view line : split(text, '\n')) {
    const std::vector<std::string_view> found = words(line);
    if (found.empty() || found.front().starts_with('#')) continue;
    resolv_conf::read_line(found, conf);
  }
  return conf;
}

void set_resolver_option(std::vector<std::string>& options, std::string option) {
  for (std::string& known : options) {
    if (resolv_conf::option_name(known) != resolv_conf::option_name(option)) continue;
    known = std::move(option);
    return;
  }
  options.push_back(std::move(option));
}

bool names_loopback_only(const ResolvConf& conf) {
  return !conf.servers.empty() &&
         std::all_of(conf.servers.begin(), conf.servers.end(), resolv_conf::is_loopback);
}

std::string_view without_loopback_stub(std::string_view file, std::string_view systemd_file) {
  if (!names_loopback_only(read_resolv_conf(file))) return file;
  const ResolvConf real = read_resolv_conf(systemd_file);
  return real.servers.empty() || names_loopback_only(real) ? file : systemd_file;
}

}  // namespace proa
