package api_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"paraph/app/apptest"
)

// find returns the titles of the documents found by a search.
func find(t testing.TB, c *apptest.Client, words string) []string {
	t.Helper()
	r := c.Get(t, "/documents?search="+url.QueryEscape(words)).Want(t, 200)
	titles := r.Texts(t, "data", "title")
	if r.Int(t, "meta.total") != len(titles) {
		t.Errorf("search %q: total %d of %d", words, r.Int(t, "meta.total"), len(titles))
	}
	slices.Sort(titles)
	return titles
}

func TestSearch(t *testing.T) {
	t.Parallel()
	c, other := company(t), company(t)
	one := obj{"title": "Mietvertrag Köln", "subject": "Zephyr", "message": "Please mind the gargoyle.", "external_id": "INV-2031", "metadata": obj{"project": "Nightingale"},
		"invitations": list{obj{"name": "Wilhelmina Quux", "email": "mina.quux@lawfirm.example"}}}
	c.Post(t, "/documents", apptest.Multipart(t, one, apptest.File{Name: "Grundriss_Erdgeschoss.pdf", Content: apptest.PDF(t, "Only here stands rhododendron.")})).Want(t, 201)
	c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Offer"}, apptest.File{Name: "offer.docx", Content: apptest.DOCX(t, "The word chrysanthemum is in a DOCX.")})).Want(t, 201)
	titled(t, c, "日本語の契約書", "Plain")
	titled(t, other, "Mietvertrag elsewhere rhododendron")
	for words, want := range map[string]string{
		"Mietvertrag": "Mietvertrag Köln", "mietvertrag": "Mietvertrag Köln", "KOLN": "Mietvertrag Köln", "köln": "Mietvertrag Köln", "Mietv": "Mietvertrag Köln",
		"zephyr": "Mietvertrag Köln", "gargoyle": "Mietvertrag Köln", "INV-2031": "Mietvertrag Köln", "nightingale": "Mietvertrag Köln", "wilhelmina": "Mietvertrag Köln",
		"quux": "Mietvertrag Köln", "mina.quux@lawfirm.example": "Mietvertrag Köln", "lawfirm": "Mietvertrag Köln", "Grundriss": "Mietvertrag Köln", "Erdgeschoss.pdf": "Mietvertrag Köln",
		"rhododendron": "Mietvertrag Köln", "rhodo köln": "Mietvertrag Köln", "rhododendron chrysanthemum": "", "chrysanthemum": "Offer", "offer.docx": "Offer", "契約書": "日本語の契約書", "nowhere": "",
	} {
		if got := strings.Join(find(t, c, words), ", "); got != want {
			t.Errorf("%q finds %q, want %q", words, got, want)
		}
	}
}

// TestTogetherSearchSeesWrites searches right after each write.
func TestTogetherSearchSeesWrites(t *testing.T) {
	t.Parallel()
	c := company(t)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			word := fmt.Sprintf("unicorn%d", i)
			d := c.Post(t, "/documents", obj{"title": word})
			at := "/documents/" + d.Text(t, "id")
			if got := find(t, c, word); len(got) != 1 {
				t.Errorf("%s finds %v", word, got)
			}
			c.Patch(t, at, obj{"title": "dragon" + word})
			if got := find(t, c, "dragon"+word); len(got) != 1 {
				t.Errorf("the new title of %s finds %v", word, got)
			}
			if got := find(t, c, word); len(got) != 0 {
				t.Errorf("the old title of %s finds %v", word, got)
			}
			c.Post(t, at+"/upload", apptest.Multipart(t, nil, apptest.File{Name: "x.pdf", Content: apptest.PDF(t, "griffin"+word)}))
			if got := find(t, c, "griffin"+word); len(got) != 1 {
				t.Errorf("the text of %s finds %v", word, got)
			}
			c.Delete(t, at)
			if got := find(t, c, "griffin"+word); len(got) != 0 {
				t.Errorf("deleted %s is found: %v", word, got)
			}
		})
	}
	wg.Wait()
}

func TestSearchHostile(t *testing.T) {
	t.Parallel()
	c := company(t)
	titled(t, c, "harmless")
	for _, words := range []string{"", " ", `"`, `'`, `\`, "*", "?", "*a*", "a*b?", "+-&&||!(){}[]^\"~*?:\\/", "title:harmless", "scope:x", "/.*/", "harmless AND", "harmless^1000000", "harmless~9",
		"\x00", "\xff\xfe", strings.Repeat("a", 6000), strings.Repeat("a ", 3000), strings.Repeat("(", 2000), "in:active:*", "%", "_", "<script>", "../..", "\u202e", strings.Repeat("é\u0301", 500), "🦄"} {
		r := c.Get(t, "/documents?search="+url.QueryEscape(words)).Want(t, 200)
		if n := r.Int(t, "meta.total"); strings.TrimSpace(words) == "" && n != 1 || n > 1 {
			t.Errorf("%.30q finds %d", words, n)
		}
	}
}
