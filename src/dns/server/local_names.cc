#include "dns/server/local_names.h"

#include <algorithm>

#include "base/strings.h"
#include "dns/cluster/zone.h"
#include "dns/config/names.h"

namespace proa::dns {
namespace local_names {

// "a.example", in lower case and without the last dot, as settings have names.
std::string text_of(NameView name) {
  std::string text = to_lower(name.str());
  if (text.size() > 1) text.pop_back();
  return text;
}

bool apply(const RewriteRule& rule, std::string& name) {
  using Match = RewriteRule::Match;
  switch (rule.match) {
    case Match::kExact:
      if (name != rule.from) return false;
      name = rule.to;
      return true;
    case Match::kPrefix:
      if (!name.starts_with(rule.from)) return false;
      name = rule.to + name.substr(rule.from.size());
      return true;
    case Match::kSuffix:
      if (!name.ends_with(rule.from)) return false;
      name = name.substr(0, name.size() - rule.from.size()) + rule.to;
      return true;
    case Match::kSubstring: {
      if (rule.from.empty() || name.find(rule.from) == std::string::npos) return false;
      std::string replaced;
      size_t at = 0;
      for (size_t found = name.find(rule.from); found != std::string::npos;
           found = name.find(rule.from, at)) {
        replaced += name.substr(at, found - at) + rule.to;
        at = found + rule.from.size();
      }
      name = replaced + name.substr(at);
      return true;
    }
  }
  return false;
}

}  // namespace local_names

LocalNames::LocalNames(const HostsSettings& hosts, std::vector<RewriteRule> rewrites)
    : rewrites_(std::move(rewrites)), ttl_(hosts.ttl), zones_(hosts.zones) {
  std::ranges::sort(zones_, std::greater<>(), [](const HostsZone& zone) {
    return zone.zone == "." ? size_t{0} : zone.zone.size();
  });
  for (const HostEntry& entry : hosts.entries) {
    for (const std::string& name : entry.names) {
      addresses_[name].push_back(entry.address);
      if (hosts.reverse) names_[entry.address].push_back(name);
    }
  }
}

std::optional<Name> LocalNames::rewrite(NameView name) const {
  if (rewrites_.empty()) return std::nullopt;
  std::string text = local_names::text_of(name);
  bool any = false;
  for (const RewriteRule& rule : rewrites_) {
    if (!local_names::apply(rule, text)) continue;
    any = true;
    if (rule.last) break;
  }
  return any ? Name::parse(text) : std::nullopt;
}

bool LocalNames::passes_on(std::string_view name) const {
  for (const HostsZone& zone : zones_) {
    if (!is_within(name, zone.zone)) continue;
    return std::ranges::any_of(zone.fallthrough,
                               [&](const std::string& one) { return is_within(name, one); });
  }
  return true;
}

std::optional<Rcode> LocalNames::answer(const Question& question, Writer& writer) const {
  if (addresses_.empty() && zones_.empty()) return std::nullopt;
  if (question.type == Type::kPtr) {
    const auto address = reverse_address(question.name);
    const auto found = address ? names_.find(*address) : names_.end();
    if (found == names_.end()) return std::nullopt;
    for (const std::string& text : found->second) {
      const auto name = Name::parse(text);
      if (!name) continue;
      writer.name_record(Section::kAnswer, question.name, Type::kPtr, ttl_, *name);
    }
    return Rcode::kNoError;
  }
  const std::string text = local_names::text_of(question.name);
  const auto found = addresses_.find(text);
  if (found == addresses_.end()) {
    // Without an SOA there is no NXDOMAIN (Hosts.ServeDNS).
    return passes_on(text) ? std::nullopt : std::optional(Rcode::kServerFailure);
  }
  for (const IpAddress& address : found->second) {
    if (question.type != (address.is_v4() ? Type::kA : Type::kAaaa)) continue;
    writer.address(Section::kAnswer, question.name, ttl_, address);
  }
  return Rcode::kNoError;
}

size_t rename_response(ByteSpan response, const Query& query, const Name& rewritten,
                       std::span<uint8_t> out) {
  Reader reader(response);
  const auto header = reader.header();
  Question question;
  if (!header || header->questions != 1 || !reader.question(question)) return 0;
  Writer writer(out, query.limit());
  writer.begin_response(query);
  const struct {
    Section section;
    uint16_t count;
  } sections[] = {{Section::kAnswer, header->answers},
                  {Section::kAuthority, header->authorities},
                  {Section::kAdditional, header->additionals}};
  for (const auto& [section, count] : sections) {
    for (int i = 0; i < count; ++i) {
      Record record;
      if (!reader.record(record)) return 0;
      if (record.type == Type::kOpt) continue;
      if (record.name == rewritten) record.name = query.question.name;
      writer.copy(section, reader, record, record.ttl);
    }
  }
  return writer.finish(header->rcode, {.authoritative = header->authoritative,
                                       .recursion_available = header->recursion_available,
                                       .authentic_data = false});
}

}  // namespace proa::dns
