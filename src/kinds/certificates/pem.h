#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace proa::kinds {

// "-----BEGIN CERTIFICATE-----" and what follows, up to its end.
struct PemBlock {
  std::string_view type;
  bool has_headers = false;
  std::string bytes;

  // Whether the bytes are one ASN.1 sequence, as certificates and requests are. What is in it is
  // for those to find out who have a library for certificates.
  bool is_sequence() const;
};

// The first block, which is cut off the text; broken ones are skipped, as Go does.
std::optional<PemBlock> next_pem_block(std::string_view& text);

}  // namespace proa::kinds
