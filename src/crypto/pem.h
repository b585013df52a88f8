#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace proa::crypto {

// A PEM block: "-----BEGIN CERTIFICATE-----" up to its END line.
struct PemBlock {
  std::string_view type;
  bool has_headers = false;
  std::string bytes;

  // Whether the bytes are one ASN.1 sequence, as certificates and requests are. Its content is not
  // checked.
  bool is_sequence() const;
};

// Cuts the first block off the text. Malformed blocks are skipped, as Go's pem.Decode does.
std::optional<PemBlock> next_pem_block(std::string_view& text);

}  // namespace proa::crypto
