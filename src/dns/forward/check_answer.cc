#include "dns/forward/check_answer.h"

#include <algorithm>

#include "dns/message/writer.h"

namespace proa::dns {
namespace check_answer_parts {

// More records than an answer of any use has; bounds the work, with kMostChain.
constexpr size_t kMostRecords = 512;
// CNAMEs in a row. Unbound follows 11, BIND 16.
constexpr size_t kMostChain = 12;

constexpr auto kRrsig = static_cast<Type>(46);
constexpr auto kNsec = static_cast<Type>(47);
constexpr auto kNsec3 = static_cast<Type>(50);

// RFC 2181: the highest bit means zero.
uint32_t ttl_of(uint32_t ttl) { return (ttl & 0x80000000U) != 0 ? 0 : ttl; }

class Checker {
 public:
  Checker(const Sent& sent, Reader reader, const Header& header)
      : sent_(sent), records_(reader), header_(header) {
    chain_[0] = sent.question.name;
  }

  // What is needed of the additional records: the OPT record. False if something is malformed.
  bool read_additional(uint8_t& extended_rcode) {
    Reader reader = records_;
    for (size_t i = 0; i < size_t{header_.answers} + header_.authorities; ++i) {
      if (!reader.skip_record()) return false;
    }
    Record record;
    for (size_t i = 0; i < header_.additionals; ++i) {
      if (!reader.record(record)) return false;
      if (record.type == Type::kOpt) extended_rcode = read_edns(record).extended_rcode;
    }
    return true;
  }

  // The names from that of the question to the last CNAME's target. False if they are in a circle
  // or too many, or something is malformed.
  bool follow() {
    if (sent_.question.type == Type::kCname || sent_.question.type == Type::kAny) return true;
    while (true) {
      Name target;
      bool found = false;
      if (!find_target(target, found)) return false;
      if (!found) return true;
      if (count_ == kMostChain || is_in_chain(target)) return false;
      chain_[count_++] = target;
    }
  }

  // Copies what belongs to the question. False if something is malformed.
  bool copy(Writer& writer) {
    Reader reader = records_;
    Record record;
    for (size_t i = 0; i < header_.answers; ++i) {
      if (!reader.record(record)) return false;
      if (!wanted_answer(record)) continue;
      if (!writer.copy(Section::kAnswer, reader, record, 0)) return false;
      ttl_ = std::min(ttl_, ttl_of(record.ttl));
      positive_ =
          positive_ || record.type == sent_.question.type || sent_.question.type == Type::kAny;
    }
    for (size_t i = 0; i < header_.authorities; ++i) {
      if (!reader.record(record)) return false;
      if (!wanted_authority(record)) continue;
      if (!writer.copy(Section::kAuthority, reader, record, 0)) return false;
      if (record.type == Type::kSoa) limit_by(record);
    }
    return true;
  }

  bool positive() const { return positive_; }
  // Of all records together; 0 without any.
  uint32_t ttl() const {
    if (positive_) return ttl_;
    // Without a SOA record nobody said how long it is so.
    return std::min(ttl_, negative_ttl_);
  }

 private:
  bool find_target(Name& target, bool& found) const {
    Reader reader = records_;
    Record record;
    for (size_t i = 0; i < header_.answers; ++i) {
      if (!reader.record(record)) return false;
      if (record.type != Type::kCname || record.klass != sent_.question.klass ||
          !(record.name == chain_[count_ - 1])) {
        continue;
      }
      found = true;
      return reader.name_in(record.data, target);
    }
    return true;
  }

  bool is_in_chain(NameView name) const {
    return std::any_of(chain_, chain_ + count_, [&](const Name& one) { return one == name; });
  }

  bool wanted_answer(const Record& record) const {
    if (record.klass != sent_.question.klass || record.type == Type::kOpt) return false;
    if (record.type == Type::kDname) {
      return std::any_of(chain_, chain_ + count_,
                         [&](const Name& one) { return one.view().within(record.name); });
    }
    if (!is_in_chain(record.name)) return false;
    if (record.type == kRrsig) return sent_.dnssec_ok || sent_.question.type == kRrsig;
    return record.type == Type::kCname || record.type == sent_.question.type ||
           sent_.question.type == Type::kAny;
  }

  bool wanted_authority(const Record& record) const {
    if (record.klass != sent_.question.klass) return false;
    if (record.type == Type::kSoa) return !positive_ && last().within(record.name);
    if (!sent_.dnssec_ok) return false;
    return record.type == kRrsig || record.type == kNsec || record.type == kNsec3;
  }

  // RFC 2308: how long the absence of a record is known.
  void limit_by(const Record& soa) {
    if (soa.data.size() < 4) return;
    const uint32_t minimum = read32(soa.data.data() + soa.data.size() - 4);
    negative_ttl_ = std::min(ttl_of(soa.ttl), ttl_of(minimum));
  }

  NameView last() const { return chain_[count_ - 1]; }

  const Sent& sent_;
  const Reader records_;  // at the first answer
  const Header& header_;
  Name chain_[kMostChain];
  size_t count_ = 1;
  bool positive_ = false;
  uint32_t ttl_ = 0x7fffffff;
  uint32_t negative_ttl_ = 0;
};

// Of a message that has the right id.
AnswerFault compare_question(const Question& question, const Question& sent) {
  if (question.type != sent.type || question.klass != sent.klass) return AnswerFault::kNotOurs;
  if (question.name.wire() == sent.name.wire()) return AnswerFault::kNone;
  return question.name == sent.name ? AnswerFault::kOtherCase : AnswerFault::kNotOurs;
}

bool says_no_edns(Rcode rcode) {
  return rcode == Rcode::kFormatError || rcode == Rcode::kNotImplemented;
}

CheckedAnswer failure(const Sent& sent, Rcode rcode) {
  return {.fault = AnswerFault::kNone, .answer = failed_answer(sent.question, rcode)};
}

CheckedAnswer check_records(Reader reader, const Header& header, const Sent& sent,
                            std::span<uint8_t> scratch) {
  const size_t records = size_t{header.answers} + header.authorities + header.additionals;
  if (records > kMostRecords) return {.fault = AnswerFault::kMalformed};
  Checker checker(sent, reader, header);
  uint8_t extended_rcode = 0;
  if (!checker.read_additional(extended_rcode)) return {.fault = AnswerFault::kMalformed};
  // BADVERS, BADCOOKIE: none of our options cause them.
  if (extended_rcode != 0) {
    return sent.edns ? CheckedAnswer{.fault = AnswerFault::kNoEdns}
                     : failure(sent, Rcode::kServerFailure);
  }
  if (header.rcode != Rcode::kNoError && header.rcode != Rcode::kNameError) {
    return failure(sent, header.rcode);
  }
  Query query;
  query.question = sent.question;
  Writer writer(scratch, kMostMessage);
  writer.begin_response(query);
  if (!checker.follow() || !checker.copy(writer)) return {.fault = AnswerFault::kMalformed};
  const bool positive = checker.positive() && header.rcode == Rcode::kNoError;
  const size_t size = writer.finish(header.rcode);
  return {
      .fault = AnswerFault::kNone,
      .answer = Answer(positive ? Answer::Kind::kPositive : Answer::Kind::kNegative, header.rcode,
                       scratch.first(size), checker.ttl(), header.authentic_data)};
}

}  // namespace check_answer_parts

CheckedAnswer check_answer(ByteSpan message, const Sent& sent, std::span<uint8_t> scratch) {
  using namespace check_answer_parts;
  Reader reader(message);
  const auto header = reader.header();
  if (!header || header->id != sent.id || !header->response || header->opcode != 0) {
    return {.fault = AnswerFault::kNotOurs};
  }
  if (header->questions == 0 && header->rcode != Rcode::kNoError &&
      header->rcode != Rcode::kNameError) {
    // Old servers do not repeat a question that they did not understand.
    if (sent.edns && says_no_edns(header->rcode)) return {.fault = AnswerFault::kNoEdns};
    return failure(sent, header->rcode);
  }
  Question question;
  if (header->questions != 1 || !reader.question(question)) {
    return {.fault = AnswerFault::kNotOurs};
  }
  const AnswerFault fault = compare_question(question, sent.question);
  const bool case_kept = fault != AnswerFault::kOtherCase;
  if (fault != AnswerFault::kNone && (case_kept || !sent.tcp)) return {.fault = fault};
  if (header->truncated) {
    return {.fault = sent.tcp ? AnswerFault::kMalformed : AnswerFault::kTruncated};
  }
  if (sent.edns && says_no_edns(header->rcode)) return {.fault = AnswerFault::kNoEdns};
  CheckedAnswer checked = check_records(reader, *header, sent, scratch);
  checked.case_kept = case_kept;
  return checked;
}

}  // namespace proa::dns
