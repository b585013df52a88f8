#include "crypto/internal/identity_codec.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/check.h"

namespace proa::crypto {
namespace identity_codec {

using List = std::vector<std::string> CertificateIdentity::*;

struct ListedAttribute {
  int id;
  List values;
};
// In the order in which Go's x509 writes them; the common name and the serial number follow.
constexpr ListedAttribute kListed[] = {
    {NID_countryName, &CertificateIdentity::countries},
    {NID_organizationName, &CertificateIdentity::organizations},
    {NID_organizationalUnitName, &CertificateIdentity::organizational_units},
    {NID_localityName, &CertificateIdentity::localities},
    {NID_stateOrProvinceName, &CertificateIdentity::provinces},
    {NID_streetAddress, &CertificateIdentity::street_addresses},
    {NID_postalCode, &CertificateIdentity::postal_codes},
};

Status invalid(std::string message) { return {Reason::kInvalid, std::move(message)}; }

Result<std::string> subject_text(const ASN1_STRING* string) {
  std::optional<std::string> read = openssl::text_of(string);
  if (!read)
    return invalid("x509: invalid RDNSequence: the subject has an attribute that is not text");
  // Some readers would take it for the end of the name.
  if (read->find('\0') != std::string::npos) {
    return invalid("x509: invalid RDNSequence: the subject has an attribute with a zero byte");
  }
  return std::move(*read);
}

// IA5String: ASCII; without zero bytes.
bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](unsigned char c) { return c > 0 && c < 0x80; });
}

Result<std::string> name_text(const ASN1_STRING* string, std::string_view kind) {
  std::string text(reinterpret_cast<const char*>(ASN1_STRING_get0_data(string)),
                   static_cast<size_t>(ASN1_STRING_length(string)));
  if (!is_ascii(text)) return invalid("x509: SAN " + std::string(kind) + " is malformed");
  return text;
}

Result<std::string> address_text(const ASN1_STRING* string) {
  const int size = ASN1_STRING_length(string);
  if (size != 4 && size != 16) {
    return invalid("x509: cannot parse IP address of length " + std::to_string(size));
  }
  char text[INET6_ADDRSTRLEN] = "";
  CHECK(inet_ntop(size == 4 ? AF_INET : AF_INET6, ASN1_STRING_get0_data(string), text,
                  sizeof text) != nullptr);
  return std::string(text);
}

// Four or sixteen bytes; empty for anything else.
std::string address_bytes(const std::string& text) {
  std::array<char, 16> bytes{};
  if (inet_pton(AF_INET, text.c_str(), bytes.data()) == 1) return {bytes.data(), 4};
  if (inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1) return {bytes.data(), 16};
  return {};
}

Result<void> read_name(const GENERAL_NAME* name, CertificateIdentity& identity) {
  int type = 0;
  const auto* value = static_cast<const ASN1_STRING*>(GENERAL_NAME_get0_value(name, &type));
  switch (type) {
    case GEN_DNS:
      identity.dns_names.push_back(TRY(name_text(value, "dNSName")));
      break;
    case GEN_EMAIL:
      identity.email_addresses.push_back(TRY(name_text(value, "rfc822Name")));
      break;
    case GEN_URI:
      identity.uris.push_back(TRY(name_text(value, "uniformResourceIdentifier")));
      break;
    case GEN_IPADD:
      identity.ip_addresses.push_back(TRY(address_text(value)));
      break;
    default:
      break;
  }
  return {};
}

// Not by OpenSSL's own tables, which allow 64 characters only: names of nodes may be longer.
bool add_part(X509_NAME* name, int id, std::span<const std::string> values) {
  int set = 0;
  for (const std::string& value : values) {
    if (X509_NAME_add_entry_by_NID(name, id, V_ASN1_UTF8STRING, openssl::bytes_of(value),
                                   static_cast<int>(value.size()), -1, set) != 1) {
      return false;
    }
    set = -1;
  }
  return true;
}

void push_name(GENERAL_NAMES* names, int type, std::string_view value) {
  ASN1_STRING* text =
      ASN1_STRING_type_new(type == GEN_IPADD ? V_ASN1_OCTET_STRING : V_ASN1_IA5STRING);
  GENERAL_NAME* name = GENERAL_NAME_new();
  CHECK(text != nullptr && name != nullptr);
  CHECK(ASN1_STRING_set(text, value.data(), static_cast<int>(value.size())) == 1);
  GENERAL_NAME_set0_value(name, type, text);
  CHECK(sk_GENERAL_NAME_push(names, name) > 0);
}

Result<void> push_texts(GENERAL_NAMES* names, int type, std::span<const std::string> values) {
  for (const std::string& value : values) {
    if (!is_ascii(value)) return invalid("invalid name in certificate: " + value);
    push_name(names, type, value);
  }
  return {};
}

}  // namespace identity_codec

namespace openssl {

Result<void> read_subject(const X509_NAME* name, CertificateIdentity& identity) {
  using namespace identity_codec;
  for (int i = 0; i < X509_NAME_entry_count(name); ++i) {
    const X509_NAME_ENTRY* entry = X509_NAME_get_entry(name, i);
    const int id = OBJ_obj2nid(X509_NAME_ENTRY_get_object(entry));
    const ASN1_STRING* value = X509_NAME_ENTRY_get_data(entry);
    if (id == NID_commonName) identity.common_name = TRY(subject_text(value));
    if (id == NID_serialNumber) identity.serial_number = TRY(subject_text(value));
    for (const ListedAttribute& attribute : kListed) {
      if (attribute.id == id) (identity.*attribute.values).push_back(TRY(subject_text(value)));
    }
  }
  return {};
}

Result<void> read_names(const STACK_OF(X509_EXTENSION) * extensions,
                        CertificateIdentity& identity) {
  using namespace identity_codec;
  if (extensions == nullptr) return {};
  int critical = 0;  // or, where nothing is found, the reason
  const NamesPointer found(static_cast<GENERAL_NAMES*>(
      X509V3_get_d2i(extensions, NID_subject_alt_name, &critical, nullptr)));
  ERR_clear_error();
  if (found == nullptr) {
    if (critical == -1) return {};
    if (critical == -2) {
      return invalid("x509: certificate request contains duplicate requested extensions");
    }
    return invalid("x509: invalid subject alternative names");
  }
  for (int i = 0; i < sk_GENERAL_NAME_num(found.get()); ++i) {
    TRY(read_name(sk_GENERAL_NAME_value(found.get(), i), identity));
  }
  return {};
}

Result<void> write_subject(const CertificateIdentity& identity, X509_NAME* name) {
  using namespace identity_codec;
  bool good = true;
  for (const ListedAttribute& attribute : kListed) {
    good = good && add_part(name, attribute.id, identity.*attribute.values);
  }
  const auto single = [](const std::string& text) {
    return std::span<const std::string>(&text, text.empty() ? 0 : 1);
  };
  good = good && add_part(name, NID_commonName, single(identity.common_name)) &&
         add_part(name, NID_serialNumber, single(identity.serial_number));
  if (!good) return failure("writing the subject of a certificate");
  return {};
}

Result<NamesPointer> make_names(const CertificateIdentity& identity) {
  using namespace identity_codec;
  NamesPointer names(sk_GENERAL_NAME_new_null());
  CHECK(names != nullptr);
  TRY(push_texts(names.get(), GEN_DNS, identity.dns_names));
  TRY(push_texts(names.get(), GEN_EMAIL, identity.email_addresses));
  for (const std::string& address : identity.ip_addresses) {
    const std::string bytes = address_bytes(address);
    if (bytes.empty()) return invalid("not an IP address: " + address);
    push_name(names.get(), GEN_IPADD, bytes);
  }
  TRY(push_texts(names.get(), GEN_URI, identity.uris));
  if (sk_GENERAL_NAME_num(names.get()) == 0) return NamesPointer();
  return names;
}

Result<void> check_dns_names(const CertificateIdentity& identity) {
  for (const std::string& name : identity.dns_names) {
    if (name.empty() || name.find_first_of(",\n\r=") != std::string::npos) {
      return identity_codec::invalid("not a DNS name: " + name);
    }
  }
  return {};
}

}  // namespace openssl
}  // namespace proa::crypto
