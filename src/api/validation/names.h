#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Syntax of names. Each check returns the problems, in upstream's words
// (k8s.io/apimachinery/pkg/util/validation); empty if there are none.

namespace proa::api {

using Problems = std::vector<std::string>;
using NameCheck = Problems (*)(std::string_view name);

Problems check_dns1123_label(std::string_view name);
Problems check_dns1123_subdomain(std::string_view name);
Problems check_dns1123_subdomain_with_underscore(std::string_view name);
// For services: starts with a letter.
Problems check_dns1035_label(std::string_view name);
// Valid as a segment of an API path: no "/", no "%", neither "." nor "..".
Problems check_path_segment(std::string_view name);
// The prefix of a generated name: `check` without the last dash, since more follows.
Problems check_generate_name(NameCheck check, std::string_view prefix);
// "example.com/name", as keys of labels and annotations are.
Problems check_qualified_name(std::string_view name);
Problems check_label_value(std::string_view value);
// For finalizers, signers and the like: with a domain prefix.
Problems check_domain_prefixed_path(std::string_view name);
Problems check_c_identifier(std::string_view name);
// With gate RelaxedEnvironmentVariableValidation (on).
Problems check_environment_name(std::string_view name);
Problems check_config_map_key(std::string_view key);
// For ports: "http", at most 15 characters with a letter.
Problems check_port_name(std::string_view name);
Problems check_port_number(int64_t port);
// Any unambiguous notation (gate StrictIPCIDRValidation, on): no leading zeros, no IPv4 within
// IPv6, no host bits.
Problems check_ip(std::string_view address);
Problems check_cidr(std::string_view cidr);
// RFC 5952 notation only: for newer fields.
Problems check_canonical_ip(std::string_view address);
Problems check_canonical_cidr(std::string_view cidr);
// At least two parts; a dot at the end is fine.
Problems check_fully_qualified_domain(std::string_view name);
Problems check_wildcard_dns1123_subdomain(std::string_view name);
Problems check_http_header_name(std::string_view name);
Problems check_percent(std::string_view text);
Problems check_range(int64_t value, int64_t least, int64_t most);

}  // namespace proa::api
