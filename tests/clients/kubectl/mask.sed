# Replaces values that differ from run to run by a word, and the width of columns with them.
# kubectl 1.20 shows managedFields, later versions do not.
/^  managedFields:$/,/^  [a-z]/{
  /^  managedFields:$/d
  /^  [ -]/d
}
/^ *"managedFields": \[$/,/^ *\],?$/d
s/,"managedFields":\[[^]]*\]//g
s/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/<uid>/g
s/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z/<time>/g
s/("?resourceVersion"?: ?)"[0-9]+"/\1"<version>"/g
s/\b[0-9]{1,2}s\b/<age>/g
s/https:\/\/127\.0\.0\.1:[0-9]+/<server>/g
s/\b10\.(9[6-9]|10[0-9]|11[01])\.[0-9]+\.[0-9]+\b/<address>/g
s/:3[0-2][0-9]{3}\//:<port>\//g
s/(nodePort: )3[0-2][0-9]{3}/\1<port>/g
s/X509SHA256=[0-9a-f]{64}/X509SHA256=<hash>/g
s/kube-api-access-[a-z0-9]{5}/kube-api-access-<suffix>/g
s/-----BEGIN CERTIFICATE-----.*-----END CERTIFICATE-----(\\n)*/<certificate>/g
s/([^ ]) {3,}/\1   /g
s/ +$//
