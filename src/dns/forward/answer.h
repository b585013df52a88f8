#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "dns/message/query.h"

namespace proa::dns {

// What an upstream answered, in the form in which it is kept: one message without an id and without
// an OPT record, which is made into the response for any client with that question. Only what
// belongs to the question is in it.
class Answer {
 public:
  enum class Kind : uint8_t { kPositive, kNegative, kFailure };

  // `message`: written for the question with Writer. `ttl`: of all records, in seconds.
  Answer(Kind kind, Rcode rcode, ByteSpan message, uint32_t ttl, bool authentic);

  Kind kind() const { return kind_; }
  Rcode rcode() const { return rcode_; }
  uint32_t ttl() const { return ttl_; }
  bool authentic() const { return authentic_; }
  ByteSpan message() const {
    return {reinterpret_cast<const uint8_t*>(bytes_.data()), message_size_};
  }
  // Whether it is about the same name (in any case), type and class.
  bool is_about(const Question& question) const;
  // Bytes on the heap.
  size_t memory() const { return bytes_.capacity() + 1; }

  // The response for a client: records have the TTL `ttl`. Marked as truncated if it is larger than
  // the query allows. Returns its size. Does not allocate. REQUIRES: is_about(query.question);
  // `out` holds query.limit() bytes.
  size_t write(const Query& query, uint32_t ttl, std::span<uint8_t> out) const;

 private:
  size_t write_cut(const Query& query, uint32_t ttl, std::span<uint8_t> out) const;

  std::string bytes_;  // the message; behind it, where its TTLs are, in two bytes each
  uint32_t ttl_;
  uint16_t message_size_;
  Kind kind_;
  Rcode rcode_;
  bool authentic_;  // the upstream says that it verified the answer
};

// An answer without records, for a question that no upstream could answer.
Answer failed_answer(const Question& question, Rcode rcode);

// Equal for queries that have the same answer: name in any case, type, class, and whether
// signatures are wanted or checked. `seed`: secret, since outsiders choose the names.
uint64_t hash_query(const Query& query, uint64_t seed);
bool have_same_answer(const Query& a, const Query& b);

// A response without records. Returns its size. REQUIRES: as Answer::write().
size_t write_failure(const Query& query, Rcode rcode, std::span<uint8_t> out);

}  // namespace proa::dns
