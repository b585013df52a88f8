#include "dns/server/names/local_names.h"

#include <algorithm>
#include <array>

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

Name led_back(const Name& name, const Rewritten& rewritten, const Name& asked) {
  if (name == rewritten.name) return asked;
  if (rewritten.ends.empty()) return name;
  std::string text = text_of(name);
  bool any = false;
  for (const Rewritten::End& end : rewritten.ends) {
    if (!text.ends_with(end.now)) continue;
    text = text.substr(0, text.size() - end.now.size()) + end.before;
    any = true;
  }
  return any ? Name::parse(text).value_or(name) : name;
}

// Where in the data of a record the name is that it leads to.
std::optional<size_t> place_of_name(Type type) {
  switch (type) {
    case Type::kCname:
    case Type::kDname:
    case Type::kNs:
      return 0;
    case Type::kMx:
      return 2;
    case Type::kSrv:
      return 6;
    default:
      return std::nullopt;
  }
}

void copy(Section section, const Reader& reader, Record record, const Rewritten& rewritten,
          const Name& asked, Writer& writer) {
  const auto place = place_of_name(record.type);
  Name target;
  if (rewritten.values && place && record.data.size() > *place) {
    ByteSpan rest = record.data.subspan(*place);
    if (reader.name_in(rest, target)) {
      const Name before = led_back(target, rewritten, asked);
      std::array<uint8_t, 6 + kMostName> data;
      std::ranges::copy(record.data.first(*place), data.begin());
      std::ranges::copy(before.wire(), data.begin() + static_cast<ptrdiff_t>(*place));
      record.data = ByteSpan(data).first(*place + before.size());
      writer.raw(section, record);
      return;
    }
  }
  writer.copy(section, reader, record, record.ttl);
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

std::optional<Rewritten> LocalNames::rewrite(NameView name) const {
  if (rewrites_.empty()) return std::nullopt;
  std::string text = local_names::text_of(name);
  Rewritten rewritten;
  bool any = false;
  for (const RewriteRule& rule : rewrites_) {
    if (!local_names::apply(rule, text)) continue;
    any = true;
    // Rules for one name always lead back (newExactNameRule).
    rewritten.values |= rule.answer || rule.match == RewriteRule::Match::kExact;
    if (rule.answer && rule.match == RewriteRule::Match::kSuffix) {
      rewritten.ends.insert(rewritten.ends.begin(), {.now = rule.to, .before = rule.from});
    }
    if (rule.last) break;
  }
  const auto parsed = any ? Name::parse(text) : std::nullopt;
  if (!parsed) return std::nullopt;
  rewritten.name = *parsed;
  return rewritten;
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

size_t rename_response(ByteSpan response, const Query& query, const Rewritten& rewritten,
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
      record.name = local_names::led_back(record.name, rewritten, query.question.name);
      local_names::copy(section, reader, record, rewritten, query.question.name, writer);
    }
  }
  return writer.finish(header->rcode, {.authoritative = header->authoritative,
                                       .recursion_available = header->recursion_available,
                                       .authentic_data = false});
}

}  // namespace proa::dns
