#include "testkit/dns/messages.h"

#include <fmt/format.h>

#include "base/check.h"

namespace proa::testkit {
namespace messages {

std::string data_of(const dns::Reader& reader, const dns::Record& record) {
  if (record.type == dns::Type::kA && record.data.size() == 4) {
    return fmt::format(" {}.{}.{}.{}", record.data[0], record.data[1], record.data[2],
                       record.data[3]);
  }
  if (record.type == dns::Type::kCname || record.type == dns::Type::kNs ||
      record.type == dns::Type::kSoa) {
    dns::ByteSpan data = record.data;
    dns::Name name;
    return reader.name_in(data, name) ? " " + name.str() : " malformed";
  }
  return {};
}

dns::Query read_query(std::string_view bytes) {
  dns::Query query;
  CHECK(dns::parse_query(bytes_of(bytes), query) == dns::QueryFault::kNone);
  return query;
}

}  // namespace messages

dns::Query client_query(std::string_view name, dns::Type type) {
  dns::Query query;
  query.id = 7;
  query.question.name = *dns::Name::parse(name);
  query.question.type = type;
  return query;
}

std::string text_of(dns::ByteSpan message) {
  dns::Reader reader(message);
  const auto header = reader.header();
  if (!header) return "malformed";
  std::string text = dns::rcode_name(header->rcode);
  if (header->truncated) text += " tc";
  dns::Question question;
  for (int i = 0; i < header->questions; ++i) {
    if (!reader.question(question)) return text + "; malformed";
    text += "; " + question.name.str() + " " + dns::type_name(question.type);
  }
  dns::Record record;
  for (int i = 0; i < header->answers + header->authorities + header->additionals; ++i) {
    if (!reader.record(record)) return text + "; malformed";
    if (record.type == dns::Type::kOpt) {
      text += "; OPT";
      continue;
    }
    text += fmt::format("; {} {} {}{}", record.name.str(), record.ttl, dns::type_name(record.type),
                        messages::data_of(reader, record));
  }
  return text + (reader.at_end() ? "" : "; more bytes");
}

TestReply::TestReply(std::string_view query)
    : query_(messages::read_query(query)),
      buffer_(new uint8_t[dns::kMostMessage]),
      writer_({buffer_.get(), dns::kMostMessage}, dns::kMostMessage) {
  writer_.begin_response(query_);
}

TestReply::TestReply(uint16_t id, std::string_view name, dns::Type type)
    : query_(client_query(name, type)),
      buffer_(new uint8_t[dns::kMostMessage]),
      writer_({buffer_.get(), dns::kMostMessage}, dns::kMostMessage) {
  query_.id = id;
  writer_.begin_response(query_);
}

dns::Name TestReply::name_of(std::string_view text) { return *dns::Name::parse(text); }

TestReply& TestReply::address(std::string_view name, std::string_view address, uint32_t ttl) {
  CHECK(writer_.address(dns::Section::kAnswer, name_of(name), ttl, *parse_ip(address)));
  return *this;
}

TestReply& TestReply::cname(std::string_view name, std::string_view target, uint32_t ttl) {
  CHECK(writer_.name_record(dns::Section::kAnswer, name_of(name), dns::Type::kCname, ttl,
                            name_of(target)));
  return *this;
}

TestReply& TestReply::soa(std::string_view zone, uint32_t ttl, uint32_t minimum) {
  const dns::Name primary = name_of("ns.example");
  CHECK(writer_.soa(dns::Section::kAuthority, name_of(zone), ttl,
                    {.primary = primary, .mailbox = primary, .minimum = minimum}));
  return *this;
}

TestReply& TestReply::authority_ns(std::string_view zone, std::string_view server) {
  CHECK(writer_.name_record(dns::Section::kAuthority, name_of(zone), dns::Type::kNs, 60,
                            name_of(server)));
  return *this;
}

TestReply& TestReply::extra_address(std::string_view name, std::string_view address) {
  CHECK(writer_.address(dns::Section::kAdditional, name_of(name), 60, *parse_ip(address)));
  return *this;
}

std::string TestReply::bytes(dns::Rcode rcode, bool truncated) {
  const size_t size = writer_.finish(rcode, {.recursion_available = true});
  std::string text(reinterpret_cast<const char*>(buffer_.get()), size);
  constexpr char kTruncated = 0x02;
  if (truncated) text[2] = static_cast<char>(text[2] | kTruncated);
  return text;
}

}  // namespace proa::testkit
