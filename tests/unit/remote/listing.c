#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "io/remote/store_answers.h"
#include "io/remote/xml.h"

#define LIST(text)                                                                                 \
	"<?xml version=\"1.0\"?><ListBucketResult xmlns=\"x\">" text "</ListBucketResult>"
#define OBJECT(key) "<Contents><Key>" key "</Key><Size>3</Size></Contents>"

static bool parse(struct tfr_page *p, const char *text, const char *prefix)
{
	return tfr_page_parse(p, text, strlen(text), prefix);
}

static const char *key(const struct tfr_page *p, size_t i)
{
	return (const char *)p->text.data + p->list[i].key;
}

Test(listing, objects_and_prefixes_in_the_order_of_their_bytes)
{
	struct tfr_page p;

	cr_assert(parse(&p,
		LIST("<IsTruncated>true</IsTruncated><EncodingType>url</EncodingType>"
		     "<Contents><Key>a/%C3%A9+%2B%23</Key><LastModified>2026-11-23T12:00:00.000Z"
		     "</LastModified><ETag>\"abc\"</ETag><Size>12</Size><Owner><ID>x</ID></Owner>"
		     "</Contents><CommonPrefixes><Prefix>a/b/</Prefix></CommonPrefixes>"
		     "<NextContinuationToken>1+a%2B=</NextContinuationToken>"),
		"a/"));
	cr_assert_eq(p.n, 2);
	cr_expect_str_eq(key(&p, 0), "a/b/");
	cr_expect(p.list[0].prefix);
	cr_expect_str_eq(key(&p, 1), "a/é +#");
	cr_expect_str_eq((char *)p.text.data + p.list[1].etag, "\"abc\"");
	cr_expect_eq(p.list[1].size, 12);
	cr_expect_eq(p.list[1].mtime, 1795435200);
	cr_expect(p.more);
	cr_expect_str_eq((char *)p.text.data + p.next, "1+a%2B=");
	tfr_page_clear(&p);
}

/* Without <EncodingType>, keys are as they are. */
Test(listing, a_server_that_does_not_encode)
{
	struct tfr_page p;

	cr_assert(parse(&p, LIST(OBJECT("a%20+&amp;&#x9;")), ""));
	cr_expect_str_eq(key(&p, 0), "a%20+&\t");
	tfr_page_clear(&p);
	cr_assert(parse(&p, LIST(OBJECT("../../etc/passwd")), "../"));
	cr_expect_str_eq(key(&p, 0), "../../etc/passwd");
	tfr_page_clear(&p);
}

Test(listing, uploads)
{
	struct tfr_page p;

	cr_assert(parse(&p,
		"<ListMultipartUploadsResult><EncodingType>url</EncodingType><IsTruncated>true"
		"</IsTruncated><NextKeyMarker>a%2Fb</NextKeyMarker><NextUploadIdMarker>i+%2F"
		"</NextUploadIdMarker><Upload><Key>a%2Fb</Key><UploadId>i+%2F</UploadId>"
		"<Initiated>2026-11-23T12:00:00Z</Initiated></Upload></ListMultipartUploadsResult>",
		"a/"));
	cr_assert_eq(p.n, 1);
	cr_expect_str_eq(key(&p, 0), "a/b");
	cr_expect_str_eq((char *)p.text.data + p.list[0].id, "i+%2F");
	cr_expect_str_eq((char *)p.text.data + p.next, "a/b");
	cr_expect_str_eq((char *)p.text.data + p.next_id, "i+%2F");
	tfr_page_clear(&p);
}

Test(listing, hostile_pages_are_refused)
{
	static const char *const pages[] = { "", "<", "{}", "<html></html>", LIST(OBJECT("b/x")),
		LIST("<IsTruncated>true</IsTruncated>"),
		LIST("<Contents><Size>1</Size></Contents>"),
		LIST("<Contents><Key>a/x</Key><Size>-1</Size></Contents>"),
		LIST("<Contents><Key>a/x</Key><Size>9223372036854775808</Size></Contents>"),
		LIST("<EncodingType>url</EncodingType>" OBJECT("a/%00")),
		LIST("<EncodingType>url</EncodingType>" OBJECT("a/%-1")),
		LIST("<EncodingType>url</EncodingType>" OBJECT("a/%2")),
		"<!DOCTYPE l [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;\">]>" LIST(
			OBJECT("a/&b;")),
		"<ListBucketResult>" OBJECT("a/x"),
		LIST("<a><a><a><a><a><a><a><a></a></a></a></a></a></a></a></a>") };
	struct tfr_page p;

	for (size_t i = 0; i < sizeof(pages) / sizeof(*pages); i++)
		cr_expect_not(parse(&p, pages[i], "a/"), "%zu", i);
}

Test(listing, texts_and_keys_are_bounded)
{
	static char text[20000];
	struct tfr_page p;

	sprintf(text,
		"<ListBucketResult><Contents><Key>%01025d</Key></Contents></ListBucketResult>", 0);
	cr_expect_not(parse(&p, text, ""));
	sprintf(text, "<ListBucketResult><x>%0*d</x></ListBucketResult>", TFR_XML_TEXT + 1, 0);
	cr_expect_not(parse(&p, text, ""));
}

/* Every cut of a page is refused. */
Test(listing, cut_anywhere)
{
	static const char whole[] = LIST(OBJECT("a/x") "<IsTruncated>false</IsTruncated>");
	struct tfr_page p;

	for (size_t n = 0; n < sizeof(whole) - 1; n++)
		cr_assert_not(tfr_page_parse(&p, whole, n, "a/"), "%zu", n);
}

/* --- uploads --- */

#define DONE                                                                                       \
	"<CompleteMultipartUploadResult "                                                          \
	"xmlns=\"x\"><ETag>\"a-2\"</ETag></CompleteMultipartUploadResult>"
#define FAULT                                                                                      \
	"<Error><Code>InternalError</Code><Message>again</Message><RequestId>R</RequestId></"      \
	"Error>"

Test(upload_answer, the_start)
{
	static const char good[] = "<InitiateMultipartUploadResult><Bucket>b</Bucket><UploadId>u1"
				   "</UploadId></InitiateMultipartUploadResult>";
	static const char none[] =
		"<InitiateMultipartUploadResult></InitiateMultipartUploadResult>";
	char id[TFR_UPLOAD_ID];

	cr_assert(tfr_upload_started(id, good, strlen(good)));
	cr_assert_str_eq(id, "u1");
	cr_assert_not(tfr_upload_started(id, none, strlen(none)));
	cr_assert_not(tfr_upload_started(id, DONE, strlen(DONE)));
	cr_assert_not(tfr_upload_started(id, good, strlen(good) - 1));
}

Test(upload_answer, a_200_with_an_error_inside)
{
	static const char *const texts[] = { DONE, "  \r\n" DONE, "<?xml version=\"1.0\"?>   " DONE,
		FAULT, "\n " FAULT, "", "<html/>", "<CompleteMultipartUploadResult>" };
	static const enum tfr_status statuses[] = { TFR_OK, TFR_OK, TFR_OK, TFR_END, TFR_END,
		TFR_ESYS, TFR_ESYS, TFR_ESYS };
	char etag[TFR_ETAG];
	struct tfr_store_fault fault;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		cr_assert_eq(tfr_upload_completed(etag, &fault, texts[i], strlen(texts[i])),
			statuses[i], "%zu", i);
		cr_expect_str_eq(etag, statuses[i] ? "" : "\"a-2\"");
		cr_expect_str_eq(fault.code, statuses[i] == TFR_END ? "InternalError" : "");
		cr_expect_str_eq(fault.request_id, statuses[i] == TFR_END ? "R" : "");
	}
}
