#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dns/config/settings.h"
#include "dns/message/writer.h"

namespace proa::dns {

// What a name was rewritten to, and how answers lead back.
struct Rewritten {
  Name name = {};       // that is looked up instead
  bool values = false;  // it is replaced in what records lead to, too
  // Ends of names, of the last rule first: what they have now, and had before.
  struct End {
    std::string now;
    std::string before;
  };
  std::vector<End> ends = {};
};

// Names that the configuration itself answers, or replaces by others. Constant.
class LocalNames {
 public:
  LocalNames() = default;
  LocalNames(const HostsSettings& hosts, std::vector<RewriteRule> rewrites);

  bool empty() const { return rewrites_.empty() && addresses_.empty() && zones_.empty(); }

  // The name that is looked up instead; nullopt: no rule applies.
  std::optional<Rewritten> rewrite(NameView name) const;

  // Answers a question as CoreDNS's hosts does: a name with an entry has no other records.
  // Nullopt: it is asked of the next one; nothing was written.
  std::optional<Rcode> answer(const Question& question, Writer& writer) const;

 private:
  // Whether a name without an entry is asked of the next one. REQUIRES: as settings have names.
  bool passes_on(std::string_view name) const;

  std::map<std::string, std::vector<IpAddress>, std::less<>> addresses_;  // by name
  std::map<IpAddress, std::vector<std::string>> names_;
  std::vector<RewriteRule> rewrites_;
  uint32_t ttl_ = 0;
  std::vector<HostsZone> zones_;  // the longest first
};

// A response to a question for `rewritten`, as one to `query`: its question, and its name where
// the other one was. Returns the size; 0 if the response is malformed.
size_t rename_response(ByteSpan response, const Query& query, const Rewritten& rewritten,
                       std::span<uint8_t> out);

}  // namespace proa::dns
